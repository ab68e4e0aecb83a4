import { describe, expect, it } from "vitest";
import { compressible } from "./compressible.ts";

const listOf = (length: number): string => JSON.stringify(["x".repeat(length - 4)]);

describe("a list made long enough to be compressed", () => {
  it("has the same elements", () => {
    for (const length of [450, 451, 1_000, 2_038, 2_039]) {
      const list = listOf(length);
      expect([length, compressible(list).length]).toEqual([length, 2_040]);
      expect(JSON.parse(compressible(list))).toEqual(JSON.parse(list));
    }
  });

  it("stays as it is when it is short, or long enough", () => {
    for (const length of [4, 449, 2_040, 2_041]) expect(compressible(listOf(length))).toBe(listOf(length));
  });
});
