import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameJson, type Json } from "../base/index.ts";
import { isSameJson } from "./equality.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
/** Few different leaves, so that equal pairs turn up. */
const small = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 1, "", "a"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 2 }),
  ),
})).value;

describe("isSameJson", () => {
  it("agrees with canonical JSON", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(json, json), fc.tuple(small, small)), ([left, right]) => {
        expect(isSameJson(left, right)).toBe(sameJson(left, right));
      }),
      { numRuns: 1_000 },
    );
  });

  it("finds a value equal to its copy with the keys turned round", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isSameJson(value, turned(value))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, turned(item)]);
  return Object.fromEntries(entries.reverse());
}
