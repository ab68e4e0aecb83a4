import { describe, expect, it } from "vitest";
import { agoText, clockText, dollars, grouped, short, spanText } from "./figures.ts";

describe("figures", () => {
  it.each([
    [0, "$0.00"],
    [1, "$0.000001"],
    [99, "$0.000099"],
    [100, "$0.0001"],
    [9_999, "$0.0100"],
    [10_000, "$0.01"],
    [1_234_567_890_000, "$1,234,567.89"],
    [-2_500_000, "−$2.50"],
  ])("%d micros are %s", (micros, text) => {
    expect(dollars(micros)).toBe(text);
  });

  it("groups and shortens counts", () => {
    expect([0, 999, 1_000, 1_234_567].map(grouped)).toEqual(["0", "999", "1,000", "1,234,567"]);
    expect([9_999, 10_000, 123_456, 2_500_000, 3e9].map(short)).toEqual(["9,999", "10.0k", "123k", "2.5M", "3.0G"]);
  });

  it.each([
    [0, "0ms"],
    [999, "999ms"],
    [1_000, "1.0s"],
    [9_999, "10.0s"],
    [10_000, "10s"],
    [60_000, "1m"],
    [61_000, "1m 1s"],
    [3_600_000, "1h"],
    [3_725_000, "1h 2m"],
    [90_000_000, "1d 1h"],
    [-5, "0ms"],
  ])("%d ms last %s", (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it("prints how long ago, and in how long", () => {
    const now = Date.UTC(2026, 0, 1);
    expect([0, 4_999, 5_000, 60_000, 7_200_000].map((ms) => agoText(now - ms, now))).toEqual([
      "now",
      "now",
      "5s ago",
      "1m ago",
      "2h ago",
    ]);
    expect(agoText(now + 90_000, now)).toBe("in 1m");
  });

  it("shows an instant in UTC", () => {
    expect(clockText(Date.UTC(2026, 10, 15, 16, 8, 29), true)).toBe("2026-11-15 16:08:29 UTC");
  });
});
