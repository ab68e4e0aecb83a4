import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareNatural } from "./natural-order.ts";

describe("compareNatural", () => {
  it("counts as people do", () => {
    const ids = ["n10", "n2", "n1", "m", "one[10]", "one[9]", "one", "n1_10", "n1_2", "n01", "", "9", "10"];
    expect(ids.toSorted(compareNatural)).toEqual([
      "",
      "9",
      "10",
      "m",
      "n01",
      "n1",
      "n1_2",
      "n1_10",
      "n2",
      "n10",
      "one",
      "one[9]",
      "one[10]",
    ]);
  });

  it("is an order: the same text alone is the same, and it can be turned and chained", () => {
    const id = fc.string({ unit: fc.constantFrom("0", "1", "9", "a", "_"), maxLength: 8 });
    fc.assert(
      fc.property(id, id, id, (one, two, three) => {
        expect(compareNatural(one, two) === 0).toBe(one === two);
        expect(Math.sign(compareNatural(one, two)) + Math.sign(compareNatural(two, one))).toBe(0);
        const [low = "", middle = "", high = ""] = [one, two, three].toSorted(compareNatural);
        expect(compareNatural(low, middle) <= 0 && compareNatural(middle, high) <= 0).toBe(true);
        expect(compareNatural(low, high)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
