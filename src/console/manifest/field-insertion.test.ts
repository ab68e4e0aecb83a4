import { describe, expect, it } from "vitest";
import { withField } from "./field-insertion.ts";
import { readSpecText } from "./spec-text.ts";

describe("putting a field into a spec", () => {
  it.each([
    ["scope: global\n", "period", "daily", "scope: global\nperiod: daily\n", 2, 14],
    ["scope: global", "model", "", 'scope: global\nmodel: ""\n', 2, 9],
    ["a: 1 # why\n\n\n", "b", 2, "a: 1 # why\nb: 2\n", 2, 5],
    ["", "b", 2, "b: 2\n", 1, 5],
    ["a: 1\nb: 2\nc: 3\n", "b", 9, "a: 1\nb: 2\nc: 3\n", 2, 5],
    ["a: 1\n", "members", [{ agent: "x" }], "a: 1\nmembers:\n  - agent: x\n", 2, 9],
  ])("goes on with %j", (text, name, value, expected, line, column) => {
    expect(withField(text, name, value)).toEqual({ text: expected, line, column });
  });

  it("writes out a map in braces, which has no end to go on with", () => {
    const { text, line } = withField("{ a: 1, b: [x] }\n", "c", true);
    expect(readSpecText(text).spec).toEqual({ a: 1, b: ["x"], c: true });
    expect(text.split("\n")[line - 1]).toBe("c: true");
  });

  it("leaves alone what cannot be read, and goes on below it", () => {
    expect(withField("a: [\n", "b", 2).text).toBe("a: [\nb: 2\n");
  });
});
