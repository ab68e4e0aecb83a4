import { describe, expect, it } from "vitest";
import { REGRESSION_SEEDS } from "./regressions.ts";
import { playSchedule } from "./schedule.ts";

describe("seeds that once showed a fault", () => {
  it.each(REGRESSION_SEEDS)("$seed: $fault", ({ seed, hasTurns = false }) => {
    expect(
      playSchedule(seed, { hasTurns }).violation?.message,
      `npm run sim -- --seed ${seed} --turns ${hasTurns}`,
    ).toBeUndefined();
  });
});
