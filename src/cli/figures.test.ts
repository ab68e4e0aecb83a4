import { describe, expect, it } from "vitest";
import { formatCost, formatCount, formatDuration } from "./figures.ts";

describe("figures", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1.0 s"],
    [59_999, "59.9 s"],
    [60_000, "1 min 00 s"],
    [3_599_999, "59 min 59 s"],
    [3_600_000, "1 h 00 min"],
    [90_061_000, "25 h 01 min"],
  ])("writes %i ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [0, "$0.00"],
    [1, "$0.000001"],
    [400, "$0.0004"],
    [250_000, "$0.25"],
    [1_500_000, "$1.50"],
    [12_345_678, "$12.345678"],
    [-20_000, "-$0.02"],
  ])("writes %i micro-dollars as %s", (micros, text) => {
    expect(formatCost(micros)).toBe(text);
  });

  it("counts", () => {
    expect([0, 1, 2].map((count) => formatCount(count, "node"))).toEqual(["0 nodes", "1 node", "2 nodes"]);
  });
});
