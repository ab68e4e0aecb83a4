import { describe, expect, it } from "vitest";
import { excerptOf } from "./excerpt.ts";

describe("excerptOf", () => {
  it.each([
    [9, "start", { text: "x".repeat(9), before: 0, after: 0 }],
    [10, "end", { text: "x".repeat(10), before: 0, after: 0 }],
    [11, "start", { text: "x".repeat(10), before: 0, after: 1 }],
    [11, "end", { text: "x".repeat(10), before: 1, after: 0 }],
  ] as const)("of %i characters from the %s", (length, side, expected) => {
    expect(excerptOf("x".repeat(length), side, 10)).toEqual(expected);
  });
});
