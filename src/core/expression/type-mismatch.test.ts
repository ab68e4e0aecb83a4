import { describe, expect, it } from "vitest";
import type { Path } from "./expression.ts";
import { ANY, ANY_OBJECT, BOOLEAN, closedObject, type Known, NUMBER, TEXT } from "./known.ts";
import { parseExpression } from "./parse.ts";
import { findTypeMismatch } from "./type-mismatch.ts";

const ROWS: Known = {
  kind: "list",
  items: closedObject([
    ["name", TEXT],
    ["price", NUMBER],
  ]),
};

const KNOWN = new Map<string, Known>([
  ["count", NUMBER],
  ["title", TEXT],
  ["done", BOOLEAN],
  ["tags", { kind: "list", items: TEXT }],
  ["meta", ANY_OBJECT],
  ["rows", ROWS],
  ["rows[0].price", NUMBER],
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
    "done != not other",
    "count == null and null == title",
    "null < done",
    "other >= tags",
    "title <= 'x'",
    "tags == []",
    "meta == meta",
    "a == b",
    "other and not done or null",
    "count + other > 1",
    "title + 'x' == other",
    "other * other == count",
    "-other < 1",
    "(other ?? count) > 1",
    "(title ?? count) == other",
    "done ? count : title",
    "map(tags, x => x + 'a')",
    "filter(rows, x => x.price > 10 and x.name == 'a')",
    "first(rows).price + 1",
    "rows[0].price * 2",
    "rows[other].price * 2",
    "meta[title] == 1",
    "meta.anything.else",
    "tags[0:2]",
    "title[:2]",
    "{a: 1}.a + 1",
    "entries(meta)[0].key == 'a'",
    "map(rows, (x, i) => i + x.price)",
    "lower(other) == title",
    "contains(tags, 1)",
    "sort_by(rows, x => x.price)[0].name == 'x'",
  ])("%s may hold", (text) => {
    expect(mismatchOf(text)).toBeUndefined();
  });

  it.each([
    ["count == '5'", 'count is a number and "5" is text: == compares values of one kind', 0],
    ["'5' < count", '"5" is text and count is a number: < compares values of one kind', 6],
    ["title == count", "title is text and count is a number: == compares values of one kind", 0],
    ["done == 'true'", "done is a boolean", 0],
    ["tags > 3", "tags is a list and 3 is a number", 0],
    ["!other == 'x'", 'not … is a boolean and "x" is text', 7],
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
    ["count + title", "count is a number and title is text: + takes two numbers or two texts", 0],
    ["1 + title * 2", "title is text and 2 is a number: * takes two numbers", 4],
    ["other - done", "done is a boolean: - takes two numbers", 0],
    ["other + tags", "tags is a list: + takes", 0],
    ["-title", "- takes a number, but title is text", 0],
    ["(count ?? 0) == 'x'", 'count ?? … is a number and "x" is text', 13],
    ["not title", "title is neither true nor false", 4],
    ["done and count", "count is neither true nor false", 9],
    ["upper(title) or done", "upper(…) is neither true nor false", 0],
    ["count ? 1 : 2", "a choice takes true or false, but count is a number", 0],
    ["lower(count)", "lower takes text, but count is a number", 6],
    ["sum(title)", "sum takes a list, but title is text", 4],
    ["length(tags) == 'a'", 'length(…) is a number and "a" is text', 13],
    ["filter(tags, x => x > 1)", "x is text and 1 is a number", 18],
    ["filter(tags, x => x)", "the lambda of filter says true or false, but it gives text", 13],
    ["map(rows, x => x.price + x.name)", "x.price is a number and x.name is text", 15],
    ["map(rows, (x, i) => i + 'a')", "i is a number", 20],
    ["rows[title]", "rows is a list and title is text: a list is indexed by a number", 4],
    ["count[other]", "count is a number: a list is indexed by a number", 5],
    ["count[1:]", "a slice is taken of a list or text, but count is a number", 5],
    ["tags[title:]", "a slice goes from one number to another, but title is text", 4],
  ])("%s cannot", (text, message, position) => {
    const mismatch = mismatchOf(text);
    expect(mismatch?.message).toContain(message);
    expect(mismatch?.position).toBe(position);
  });

  it.each([
    ["filter(rows, x => x.pricee > 10)", 'x.pricee: an object here has no field "pricee"', 18, 'Did you mean "price"?'],
    ["first(rows).nmae", 'has no field "nmae"', 11, 'Did you mean "name"?'],
    ["{ab: 1}.abc", 'has no field "abc"', 7, 'Did you mean "ab"?'],
    ["entries(meta)[0].vale", 'has no field "vale"', 16, 'Did you mean "value"?'],
    ["map(tags, x => x.y)", 'x.y: text here has no field "y"', 15, undefined],
  ])("%s names a field that does not exist", (text, message, position, hint) => {
    const mismatch = mismatchOf(text);
    expect(mismatch).toMatchObject({ code: "unknown_field", position });
    expect(mismatch?.message).toContain(message);
    expect(mismatch?.hint).toBe(hint);
  });

  it("walks the longest chains", () => {
    expect(mismatchOf("a&&".repeat(300) + "count=='x'")?.message).toContain("count is a number");
  });
});
