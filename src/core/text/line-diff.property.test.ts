import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, hunksOf } from "./line-diff.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 14 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

describe("comparison of two texts", () => {
  it("holds both texts, line by line and numbered", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const left = lines.filter(({ kind }) => kind !== "added");
        const right = lines.filter(({ kind }) => kind !== "removed");
        expect(left.map((line) => `${line.text}\n`).join("")).toBe(before);
        expect(right.map((line) => `${line.text}\n`).join("")).toBe(after);
        expect(left.map((line) => line.before)).toEqual(left.map((_, index) => index + 1));
        expect(right.map((line) => line.after)).toEqual(right.map((_, index) => index + 1));
      }),
      { numRuns: 500 },
    );
  });

  it("finds nothing between a text and itself", () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(diffLines(same, same).every(({ kind }) => kind === "same")).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("changes as little as possible", () => {
    const kinds = diffLines("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n").map(({ kind, text: line }) => `${kind} ${line}`);
    expect(kinds).toEqual(["same a", "removed b", "added x", "same c", "same d", "added e"]);
  });

  it("gives up on the middle of what is altogether different", () => {
    const many = (word: string): string => Array.from({ length: 1_500 }, (_, index) => `${word}${index}\n`).join("");
    const lines = diffLines(many("a"), many("b"));
    expect(lines).toHaveLength(3_000);
  });

  it("leaves out what did not change", () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index}\n`).join("");
    const hunks = hunksOf(diffLines(before, before.replace("15\n", "x\n")), 2);
    expect(hunks.map((hunk) => (hunk.kind === "gap" ? hunk.count : hunk.lines.length))).toEqual([13, 6, 12]);
  });
});
