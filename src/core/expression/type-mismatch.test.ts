import { describe, expect, it } from "vitest";
import type { Path } from "./expression.ts";
import { ANY, ANY_OBJECT, BOOLEAN, type Known, NUMBER, TEXT } from "./known.ts";
import { parseExpression } from "./parse.ts";
import { findTypeMismatch } from "./type-mismatch.ts";

const KNOWN = new Map<string, Known>([
  ["count", NUMBER],
  ["title", TEXT],
  ["done", BOOLEAN],
  ["tags", { kind: "list", items: TEXT }],
  ["meta", ANY_OBJECT],
]);

function mismatchOf(text: string) {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return findTypeMismatch(parsed.value.root, (path: Path) => KNOWN.get(path.text) ?? ANY);
}

describe("findTypeMismatch", () => {
  it.each([
    "count == 5",
    "count > other",
    "title in ['a', 5]",
    "count in tags",
    "title in other",
    "done == (count > 1)",
    "done != not title",
    "count == null and null == title",
    "null < done",
    "other >= tags",
    "title <= 'x'",
    "tags == []",
    "meta == meta",
    "a == b",
    "count and title",
  ])("%s may hold", (text) => {
    expect(mismatchOf(text)).toBeUndefined();
  });

  it.each([
    ["count == '5'", 'count is a number and "5" is text: == compares values of one kind', 0],
    ["'5' < count", '"5" is text and count is a number: < compares values of one kind', 6],
    ["title == count", "title is text and count is a number: == compares values of one kind", 0],
    ["done == 'true'", "done is a boolean", 0],
    ["tags > 3", "tags is a list and 3 is a number", 0],
    ["!title == 'x'", 'not … is a boolean and "x" is text', 7],
    ["(a == b) == 1", "the comparison in parentheses is a boolean and 1 is a number", 9],
    ["1 == 'x'", '1 is a number and "x" is text', 2],
    ["done < done", "< orders numbers or texts, but done is a boolean", 0],
    ["tags >= []", ">= orders numbers or texts, but tags is a list", 0],
    ["other in title", "in looks into a list, but title is text", 9],
    ["other in 'abc'", 'in looks into a list, but "abc" is text', 0],
    ["a and (b or not (c == 1 and count == 'x'))", "count is a number", 28],
    ["a in [count == 'x']", "count is a number", 6],
    ["(count == 'x') in b", "count is a number", 1],
    ["a == 1 or b == 2 or title == 3", "title is text", 20],
  ])("%s cannot", (text, message, position) => {
    const mismatch = mismatchOf(text);
    expect(mismatch?.message).toContain(message);
    expect(mismatch?.position).toBe(position);
  });

  it("walks the longest chains", () => {
    expect(mismatchOf("a&&".repeat(300) + "count=='x'")?.message).toContain("count is a number");
  });
});
