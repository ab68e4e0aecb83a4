import { describe, expect, it } from "vitest";
import { arrayLiteral } from "./sql.ts";

describe("an array as the database writes it", () => {
  it.each([
    [[], "{}"],
    [["a", "b"], '{"a","b"}'],
    [["", "null", null], '{"","null",null}'],
    [["a,b", "{c}", 'd"e', "f\\g"], '{"a,b","{c}","d\\"e","f\\\\g"}'],
    [[1, -2, null, 9_007_199_254_740_991], "{1,-2,null,9007199254740991}"],
    [[true, false], "{true,false}"],
  ])("%j is %s", (values, text) => {
    expect(arrayLiteral(values)).toBe(text);
  });
});
