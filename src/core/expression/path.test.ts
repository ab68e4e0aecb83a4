import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/index.ts";
import { parsePath, scanReference } from "./path.ts";

function segmentsOf(text: string) {
  const parsed = parsePath(text);
  return parsed.ok ? parsed.value.segments : parsed.failure.message;
}

describe("parsePath", () => {
  it.each([
    ["a", ["a"]],
    ["step.outputs.a[0].b", ["step", "outputs", "a", 0, "b"]],
    ["$step.approved", ["step", "approved"]],
    ["${name}", ["name"]],
    ["${ item.x }", ["item", "x"]],
    ["  item.x  ", ["item", "x"]],
    ["fetch.outputs.my-list", ["fetch", "outputs", "my-list"]],
    ["constructor.__proto__", ["constructor", "__proto__"]],
    ["true", ["true"]],
  ])("%s", (text, segments) => {
    expect(segmentsOf(text)).toEqual(segments);
  });

  it("keeps what was written and where", () => {
    const parsed = parsePath(" $a.b");
    expect(parsed.ok && parsed.value).toEqual({ text: "$a.b", segments: ["a", "b"], position: 1 });
  });

  it.each([
    ["", "the path is empty"],
    ["   ", "the path is empty"],
    ["a b", 'the path cannot continue with "b"'],
    ["a-", 'the path cannot continue with "-"'],
    ["a == 1", 'the path cannot continue with "="'],
    ["a()", 'the path cannot continue with "("'],
    ["9a", 'a name is expected before "9"'],
    ["${a", "the reference that starts with ${ is never closed"],
    ["a[-1]", "an index is a whole number from 0 on, such as [0]"],
  ])("refuses %s", (text, message) => {
    expect(segmentsOf(text)).toBe(message);
  });

  it("holds paths to the length of an expression", () => {
    expect(parsePath("a".repeat(LIMITS.expressionLengthMax)).ok).toBe(true);
    expect(segmentsOf("a".repeat(LIMITS.expressionLengthMax + 1))).toBe("the path is longer than 1024 characters");
  });
});

describe("scanReference", () => {
  it.each([
    ["$a.stdout", "$a.stdout"],
    ["$a.stdout. And", "$a.stdout"],
    ["$a.stdout, and", "$a.stdout"],
    ["$a.json[0].x[y]", "$a.json[0].x"],
    ["$a.b-c", "$a.b"],
  ])("%s", (text, found) => {
    expect(scanReference(text, 0)?.path.text).toBe(found);
  });

  it.each(["$", "$5", "$5.00", "$a", "$a.", "$a. b", "$a[0].b", "$ a.b"])("%s is text", (text) => {
    expect(scanReference(text, 0)).toBeUndefined();
  });
});
