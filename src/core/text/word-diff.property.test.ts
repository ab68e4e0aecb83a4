import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords } from "./word-diff.ts";

describe("a comparison word by word", () => {
  it("marks the words that differ, and no others", () => {
    expect(diffWords("I refund all of it.", "I refund half of it.")).toEqual([
      { kind: "same", text: "I refund " },
      { kind: "removed", text: "all" },
      { kind: "added", text: "half" },
      { kind: "same", text: " of it." },
    ]);
    expect(diffWords("", "new")).toEqual([{ kind: "added", text: "new" }]);
    expect(diffWords("x".repeat(5_001), "y")).toHaveLength(2);
  });

  it("leads from one line to the other", () => {
    const line = fc
      .array(fc.constantFrom("a", "b", " ", ".", "ü", "🙂", "word"), { maxLength: 30 })
      .map((w) => w.join(""));
    fc.assert(
      fc.property(line, line, (before, after) => {
        const parts = diffWords(before, after);
        const side = (other: string) =>
          parts
            .filter(({ kind }) => kind !== other)
            .map(({ text }) => text)
            .join("");
        expect([side("added"), side("removed")]).toEqual([before, after]);
      }),
    );
  });
});
