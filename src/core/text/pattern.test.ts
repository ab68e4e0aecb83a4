import { describe, expect, test } from "vitest";
import { LIMITS } from "../base/index.ts";
import { compilePattern } from "./index.ts";

function matches(pattern: string, value: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.failure);
  return compiled.value.test(value);
}

function reason(pattern: string): string {
  const compiled = compilePattern(pattern);
  return compiled.ok ? "compiled" : compiled.failure;
}

describe("what a pattern means", () => {
  test("it is found anywhere unless it is anchored", () => {
    expect(matches("b", "abc")).toBe(true);
    expect(matches("^b", "abc")).toBe(false);
    expect(matches("^abc$", "abc")).toBe(true);
    expect(matches("", "anything")).toBe(true);
  });

  test("anchors mean the whole text, not a line", () => {
    expect(matches("^b$", "a\nb")).toBe(false);
    expect(matches("a$", "a\n")).toBe(false);
  });

  test.each([
    ["\\d{4}-\\d{2}-\\d{2}", "on 2024-01-31", true],
    ["^[A-Z]{2}\\/\\d+$", "AB/12", true],
    ["^\\u0041+$", "AAA", true],
    ["^[\\u4e00-\\u9fff]+$", "漢字", true],
    ["^\\u{1F600}$", "😀", true],
    ["^.$", "😀", true],
    ["^\\\\u0041$", "\\u0041", true],
    ["^\\p{L}+$", "žluť", true],
    ["(?<year>\\d{4})", "2024", true],
    ["(?i)abc", "xABCx", true],
    ["^(yes|no)$", "maybe", false],
  ])("%s on %s", (pattern, value, expected) => {
    expect(matches(pattern, value)).toBe(expected);
  });

  test("a compiled pattern keeps no memory between tests", () => {
    const compiled = compilePattern("a+");
    if (!compiled.ok) throw new Error(compiled.failure);
    expect([compiled.value.test("xa"), compiled.value.test("xa"), compiled.value.test("x")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("what cannot be compiled", () => {
  test("a pattern whose repetitions make too many states", () => {
    expect(reason(`(${"abcdefgh".repeat(120)}){1000}`)).toMatch(/^its repetitions make \d+ states; at most 100000 are/);
    expect(reason("^[a-z]{1,100}(?:,[a-z]{1,100}){0,9}$")).toBe("compiled");
  });

  test.each([
    ["(a)\\1", "back to a group"],
    ["(?<n>a)\\k<n>", "back to a group"],
    ["(?=a)", "look-ahead"],
    ["a(?!b)", "look-ahead"],
    ["(?<=a)b", "look-behind"],
    ["(?<!a)b", "look-behind"],
    ["(?>a)", "atomic"],
    ["a++", "possessive"],
    ["(", "missing closing )"],
    ["[a-", "missing closing ]"],
    ["a{1001}", "more than 1000"],
    ["(a{100}){100}", "more than 1000"],
    ["\\", "trailing backslash"],
    ["\\Z", "invalid escape"],
    ["\\ud8", "invalid escape"],
  ])("%s says %s", (pattern, words) => {
    expect(reason(pattern)).toContain(words);
    expect(reason(pattern)).not.toContain("regexp");
  });

  test("the length is limited", () => {
    expect(reason("a".repeat(LIMITS.patternLengthMax - 1))).toBe("compiled");
    expect(reason("a".repeat(LIMITS.patternLengthMax))).toBe("compiled");
    expect(reason("a".repeat(LIMITS.patternLengthMax + 1))).toBe(
      "the pattern has 1025 characters; at most 1024 are allowed",
    );
  });
});

test("a pattern that blows up in a backtracking engine stays linear", () => {
  expect(matches("^(a+)+$", `${"a".repeat(50_000)}!`)).toBe(false);
  expect(matches("(x+x+)+y", "x".repeat(50_000))).toBe(false);
});

test("more patterns than are remembered still compile to the same answers", () => {
  for (let index = 0; index < 600; index += 1) expect(matches(`^v${index}$`, `v${index}`)).toBe(true);
  for (let index = 0; index < 600; index += 1) expect(matches(`^v${index}$`, `v${index + 1}`)).toBe(false);
});
