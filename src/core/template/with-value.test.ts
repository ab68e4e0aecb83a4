import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { parseWithValue } from "./with-value.ts";

const reference = (text: string, position: number) => ({ text, segments: [text.slice(2, -1)], position });
const plain = (value: Json) => ({ kind: "value", value });

describe("parseWithValue", () => {
  it.each<[Json]>([
    [null],
    [5],
    [true],
    ["text"],
    ["$5 and $a.stdout"],
    [[1, ["a"]]],
    [{ a: { b: [null] } }],
    [[]],
    [{}],
  ])("keeps %j as it is", (value) => {
    expect(parseWithValue(value)).toEqual({ ok: true, value: plain(value) });
  });

  it("turns texts with references into templates, wherever they stand", () => {
    const value = { a: "x ${b}", c: [1, "${d}"], e: { f: "g" } };
    expect(parseWithValue(value)).toEqual({
      ok: true,
      value: {
        kind: "object",
        members: {
          a: { kind: "text", template: { text: "x ${b}", parts: ["x ", reference("${b}", 2)] } },
          c: {
            kind: "list",
            items: [plain(1), { kind: "text", template: { text: "${d}", parts: [reference("${d}", 0)] } }],
          },
          e: plain({ f: "g" }),
        },
      },
    });
  });

  it("takes the escape out of a text without references", () => {
    expect(parseWithValue(["$${a}"])).toEqual({ ok: true, value: plain(["${a}"]) });
  });

  it("says where the bad text stands", () => {
    expect(parseWithValue({ a: [1, { b: "ok ${" }] })).toMatchObject({
      ok: false,
      failure: { path: ["a", 1, "b"], position: 3, message: "the reference that starts with ${ is never closed" },
    });
    expect(parseWithValue("${}")).toMatchObject({ ok: false, failure: { path: [], position: 0 } });
  });

  it("keeps keys that mean harm as data", () => {
    const value: Json = JSON.parse('{"__proto__": "${a}", "constructor": 1}');
    const parsed = parseWithValue(value);
    if (!parsed.ok || parsed.value.kind !== "object") throw new Error("not an object");
    expect(Object.keys(parsed.value.members)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(parsed.value.members)).toBe(Object.prototype);
  });
});
