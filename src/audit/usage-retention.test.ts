import { describe, expect, it } from "vitest";
import { pruneUsage, USAGE_DAYS } from "./usage-retention.ts";

const NOW = Date.UTC(2026, 10, 15);

function storeOf(count: number) {
  const asked: number[] = [];
  let left = count;
  return {
    asked,
    pruneUsage: async (before: number, limit: number): Promise<number> => {
      asked.push(before);
      const gone = Math.min(left, limit);
      left -= gone;
      return gone;
    },
  };
}

describe("old usage", () => {
  it("goes after ninety days", async () => {
    const store = storeOf(0);
    expect(await pruneUsage(store, NOW)).toBe(0);
    expect(store.asked).toEqual([NOW - 90 * 86_400_000]);
    expect(USAGE_DAYS).toBe(90);
  });

  it.each([
    [4_999, 1],
    [5_000, 2],
    [5_001, 2],
    [12_000, 3],
  ])("goes piece by piece: %i records in %i", async (count, rounds) => {
    const store = storeOf(count);
    expect(await pruneUsage(store, NOW)).toBe(count);
    expect(store.asked).toHaveLength(rounds);
  });

  it("leaves the rest for the next time when there is very much of it", async () => {
    const store = storeOf(2_000_000);
    expect(await pruneUsage(store, NOW)).toBe(1_000_000);
  });
});
