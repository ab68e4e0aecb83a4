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
    expect(seen).toMatchObject({ projectedMicros: 150, state: "fine", share: 0.75 });
    expect(seen.breachAt).toBeCloseTo(MIDNIGHT + (DAY / 2) * (100 / 75), 0);
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

  it("draws the line to the end named in the text", () => {
    const half = MIDNIGHT + DAY / 2;
    const fast = burnDown("daily", 100, [{ at: MIDNIGHT, micros: 75 }], half);
    expect(fast.ahead).toEqual({ at: fast.breachAt, leftMicros: 0 });
    const slow = burnDown("daily", 100, [{ at: MIDNIGHT, micros: 40 }], half);
    expect(slow).toMatchObject({ breachAt: null, projectedMicros: 80, ahead: { at: slow.end, leftMicros: 20 } });
    expect(burnDown("daily", 100, [{ at: MIDNIGHT, micros: 100 }], half).ahead).toBeNull();
  });

  it.each([1, 20, 59])("goes on from what is left after %i minutes, too", (minutes) => {
    const now = MIDNIGHT + minutes * 60_000;
    const { projectedMicros, breachAt } = burnDown("daily", 2_000, [{ at: MIDNIGHT, micros: 100 }], now);
    const perHour = 100;
    expect(projectedMicros).toBe(Math.round(100 + (perHour * (MIDNIGHT + DAY - now)) / 3_600_000));
    expect(breachAt).toBeCloseTo(now + (1_900 / perHour) * 3_600_000, 0);
  });

  it("knows when an envelope was used up, and not only that it is", () => {
    const spending = [
      { at: MIDNIGHT, micros: 60 },
      { at: MIDNIGHT + DAY / 4, micros: 60 },
    ];
    expect(burnDown("daily", 100, spending, MIDNIGHT + DAY / 2).breachAt).toBe(MIDNIGHT + DAY / 4 + 3_600_000);
  });

  it("ends at the sum of the ledger, where it is known", () => {
    const half = MIDNIGHT + DAY / 2;
    const more = burnDown("daily", 100, [{ at: MIDNIGHT, micros: 40 }], half, 50);
    expect(more).toMatchObject({ spentMicros: 50, share: 0.5 });
    expect(more.points.map(({ leftMicros }) => leftMicros)).toEqual([100, 60, 50]);
    const less = burnDown("daily", 100, [{ at: MIDNIGHT, micros: 40 }], half, 30);
    expect(less.points.map(({ leftMicros }) => leftMicros)).toEqual([100, 70, 70]);
  });
});
