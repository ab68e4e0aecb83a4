import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

describe("a diff of lines", () => {
  it("is empty for equal texts and shows what changed otherwise", () => {
    expect(unifiedDiff("a\nb\n", "a\nb\n")).toBe("");
    expect(unifiedDiff("a\nb\nc\n", "a\nx\nc\n")).toBe("@@ -1 +1 @@\n a\n-b\n+x\n c\n");
    expect(unifiedDiff("", "a\n")).toBe("@@ -1 +1 @@\n+a\n");
    expect(unifiedDiff("a\n", "")).toBe("@@ -1 +1 @@\n-a\n");
  });

  it("shows changes that lie far apart in groups", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `l${index}`);
    const changed = lines.map((line, index) => (index === 2 || index === 27 ? `${line}!` : line));
    const diff = unifiedDiff(lines.join("\n"), changed.join("\n"));
    expect(diff.match(/^@@ .*$/gm)).toEqual(["@@ -1 +1 @@", "@@ -25 +25 @@"]);
    expect(diff).not.toContain("l14");
  });

  it("holds every line of both texts on its side, near enough", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 7 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        // Short enough that the lines around the changes are all of them.
        fc.pre(before.join() !== after.join());
        const diff = unifiedDiff([...before, "z"].join("\n"), [...after, "z"].join("\n"))
          .split("\n")
          .slice(0, -1);
        const side = (mark: string): readonly string[] =>
          diff
            .filter((line) => !line.startsWith("@@") && (line.startsWith(" ") || line.startsWith(mark)))
            .map((line) => line.slice(1));
        const endsAlike = (whole: readonly string[], shown: readonly string[]): boolean =>
          shown.length <= whole.length && isSubsequence(shown, whole);
        expect(endsAlike([...before, "z"], side("-"))).toBe(true);
        expect(endsAlike([...after, "z"], side("+"))).toBe(true);
        const count = (mark: string): number =>
          diff.filter((line) => line.startsWith(mark) && !line.startsWith("@@")).length;
        expect(after.length - before.length).toBe(count("+") - count("-"));
      }),
      { numRuns: 300 },
    );
  });

  it("gives up on finding what two huge texts share", () => {
    const before = Array.from({ length: 3_000 }, (_, index) => `a${index}`).join("\n");
    const after = Array.from({ length: 3_000 }, (_, index) => `b${index}`).join("\n");
    expect(unifiedDiff(before, after).match(/^[-+]/gm)).toHaveLength(6_000);
  });
});

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0;
  for (const line of whole) if (line === part[found]) found += 1;
  return found === part.length;
}
