import { describe, expect, it } from "vitest";
import { burnDown } from "./burn-down.ts";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 10, 15);

describe("burn-down of an envelope", () => {
  it("counts its own period only", () => {
    const spending = [
      { at: MIDNIGHT - 1, micros: 500 },
      { at: MIDNIGHT, micros: 10 },
      { at: MIDNIGHT + DAY, micros: 700 },
    ];
    expect(burnDown("daily", 100, spending, MIDNIGHT + DAY / 2).spentMicros).toBe(10);
  });

  it("foresees a breach at the present rate", () => {
    const half = MIDNIGHT + DAY / 2;
    const seen = burnDown("daily", 100, [{ at: MIDNIGHT, micros: 75 }], half);
    expect(seen).toMatchObject({ projectedMicros: 150, state: "near", share: 0.75 });
    expect(seen.breachAt).toBe(MIDNIGHT + (DAY / 2) * (100 / 75));
    expect(burnDown("daily", 100, [{ at: MIDNIGHT, micros: 40 }], half)).toMatchObject({
      breachAt: null,
      state: "fine",
    });
  });

  it.each([
    [79, "fine"],
    [80, "near"],
    [99, "near"],
    [100, "exhausted"],
    [101, "exhausted"],
  ] as const)("calls %i of 100 %s at the end of the day", (micros, state) => {
    expect(burnDown("daily", 100, [{ at: MIDNIGHT, micros }], MIDNIGHT + DAY - 1).state).toBe(state);
  });

  it("has a ceiling of nothing as exhausted, and no rate without spending", () => {
    expect(burnDown("weekly", 0, [], MIDNIGHT)).toMatchObject({ state: "exhausted", projectedMicros: 0 });
    expect(burnDown("monthly", 10, [], MIDNIGHT)).toMatchObject({ breachAt: null, projectedMicros: 0, state: "fine" });
  });
});
