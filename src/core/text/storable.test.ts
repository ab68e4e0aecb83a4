import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS, type Json } from "../base/index.ts";
import { findUnstorable, repairText } from "./index.ts";

function nested(depth: number, leaf: Json): Json {
  let value = leaf;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { k: value };
  return value;
}

describe("what cannot be stored", () => {
  test("is found in values and in keys, in document order, under the given path", () => {
    const value = { a: "ok", b: ["\0", { c: "x\ud800" }], "k\udc00": "y", d: "😀" };
    expect(findUnstorable(value)).toEqual([["b", 0], ["b", 1, "c"], ["k\udc00"]]);
    expect(findUnstorable("\0", ["args", "topic"])).toEqual([["args", "topic"]]);
    expect(findUnstorable({ a: [1, null, true, "😀é"] })).toEqual([]);
  });

  test("is counted up to the number of problems", () => {
    const bad = (count: number): Json => Array.from({ length: count }, () => "\0");
    expect(findUnstorable(bad(LIMITS.problemsMax - 1))).toHaveLength(49);
    expect(findUnstorable(bad(LIMITS.problemsMax))).toHaveLength(50);
    expect(findUnstorable(bad(LIMITS.problemsMax + 1))).toHaveLength(50);
  });

  test("is found and repaired below any number of levels", () => {
    expect(findUnstorable(nested(50_000, "\0"))).toHaveLength(1);
    expect(findUnstorable(repairText(nested(50_000, "\0")).value)).toEqual([]);
  });
});

describe("repair", () => {
  test("puts U+FFFD where something was, and keeps whole pairs and the order of keys", () => {
    const value = { "2": 0, b: "a\0b", "c\ud800": ["\udc00😀"], d: null };
    const { value: copy, isRepaired } = repairText(value);
    expect(isRepaired).toBe(true);
    expect(JSON.stringify(copy)).toBe(JSON.stringify({ "2": 0, b: "a\ufffdb", "c\ufffd": ["\ufffd😀"], d: null }));
    expect(value.b).toBe("a\0b");
  });

  test("hands a good value back as it is", () => {
    const value = { a: ["x"] };
    expect(repairText(value).value).toBe(value);
    expect(repairText(value).isRepaired).toBe(false);
  });

  test("keeps a key named __proto__ an ordinary key", () => {
    const { value } = repairText(JSON.parse('{"__proto__": {"a": 1}, "b": "\\u0000"}') as Json);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"b":"\ufffd"}');
  });

  test("leaves nothing to repair, changes nothing twice, and is stored and read back unchanged", () => {
    const anyText = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), anyText, anyText, (value, text, key) => {
        const whole = [value, text, Object.fromEntries([[key, text]])] as Json;
        const repaired = repairText(whole);
        expect(findUnstorable(repaired.value)).toEqual([]);
        expect(repairText(repaired.value).value).toBe(repaired.value);
        expect(repaired.isRepaired).toBe(findUnstorable(whole).length > 0);
        const stored = JSON.stringify(repaired.value);
        expect(new TextDecoder().decode(new TextEncoder().encode(stored))).toBe(stored);
      }),
      { numRuns: 200 },
    );
  });
});
