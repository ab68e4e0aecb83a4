import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addLeaf, EMPTY_FRONTIER, rootOf } from "./merkle.ts";

const hashOf = (value: number): string => bytesToHex(sha256(Uint8Array.of(value % 256, value >> 8)));

/** The tree as it is drawn: the left side holds the largest power of two that leaves something for the right. */
function drawnRoot(leaves: readonly string[]): string {
  const [first = ""] = leaves;
  if (leaves.length <= 1) return first;
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  const sides = [leaves.slice(0, left), leaves.slice(left)].map((side) => hexToBytes(drawnRoot(side)));
  return bytesToHex(sha256(concatBytes(Uint8Array.of(1), ...sides)));
}

const growing = (leaves: readonly string[]) => leaves.reduce(addLeaf, EMPTY_FRONTIER);

describe("the tree over a segment", () => {
  it("has the root of the drawn tree, however many leaves it grew by", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 65_535 }), { minLength: 1, maxLength: 130 }), (values) => {
        const leaves = values.map(hashOf);
        const frontier = growing(leaves);
        expect(rootOf(frontier)).toBe(drawnRoot(leaves));
        const ones = leaves.length.toString(2).replaceAll("0", "").length;
        expect([frontier.count, frontier.roots.length]).toEqual([leaves.length, ones]);
      }),
      { numRuns: 60 },
    );
  });

  it("has another root for any other order, content or count", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 65_535 }), { minLength: 2, maxLength: 40 }), fc.nat(), (values, at) => {
        const leaves = values.map(hashOf);
        const place = at % (leaves.length - 1);
        const swapped = leaves.with(place, leaves[place + 1] ?? "").with(place + 1, leaves[place] ?? "");
        const roots = [leaves, swapped, leaves.slice(0, -1), [...leaves, leaves.at(-1) ?? ""]].map((some) =>
          rootOf(growing(some)),
        );
        expect(new Set(roots).size).toBe(4);
      }),
      { numRuns: 60 },
    );
  });

  it("has none without leaves", () => {
    expect(rootOf(EMPTY_FRONTIER)).toBeNull();
  });
});
