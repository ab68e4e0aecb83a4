import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateWindow } from "../core/governance/index.ts";
import type { Admission } from "./judge.ts";
import { Tally } from "./tally.ts";

const AGENT = "analyst";

const admission = (rate: RateWindow, at: number): Admission => ({
  runId: "run_1",
  nodeId: "a",
  agentId: AGENT,
  maxOpen: 1_000_000,
  rate,
  at,
  reserved: [],
});

/** Dispatches until the window is full, or so many; the moments at which they count. */
function dispatch(tally: Tally, rate: RateWindow, now: number, many: number): readonly number[] {
  const taken: Admission[] = [];
  while (taken.length < many && tally.windowOf(AGENT, rate, now).used < rate.count) {
    const one = admission(rate, tally.hitAt(AGENT, now));
    tally.take(one);
    taken.push(one);
  }
  const hits = taken.map(({ at }) => ({ at, count: 1 }));
  const slots = [{ agentId: AGENT, delta: taken.length, maxOpen: 1_000_000, hits, rate }];
  tally.commit({ runId: "run_1", ended: [], settled: [], taken, slots, ledger: [], memories: [] });
  return taken.map(({ at }) => at);
}

const rates = fc.constantFrom(
  { count: 3, windowMs: 500 },
  { count: 256, windowMs: 1_024 },
  { count: 257, windowMs: 1_024 },
  { count: 400, windowMs: 1_024 },
);
const ROUNDS = 12;
/** Clocks go back now and then; rounds are long enough for what was let in first to leave and be replaced. */
const turns = fc
  .array(fc.record({ passes: fc.integer({ min: -3, max: 6 }), many: fc.integer({ min: 0, max: 3 }) }), {
    minLength: 90,
    maxLength: 110,
  })
  .map((round) => Array.from({ length: ROUNDS }, () => round).flat());

describe("a window that is always asked for more", () => {
  it("never holds more than its count, wherever it is laid", () => {
    fc.assert(
      fc.property(rates, turns, (rate, steps) => {
        const tally = new Tally();
        const made: number[] = [];
        let now = 1_700_000_000_000;
        for (const { passes, many } of steps) {
          now += passes;
          for (const at of dispatch(tally, rate, now, many)) made.push(at);
        }
        let oldest = 0;
        made.forEach((end, index) => {
          while ((made[oldest] ?? end) <= end - rate.windowMs) oldest += 1;
          expect(index - oldest + 1).toBeLessThanOrEqual(rate.count);
        });
      }),
      { numRuns: 25 },
    );
  });

  it("has room when it predicted, for as many as it predicted, and is never late by more than a slice", () => {
    fc.assert(
      fc.property(rates, turns, fc.nat({ max: 9 }), (rate, steps, places) => {
        const tally = new Tally();
        const made: number[] = [];
        let now = 1_700_000_000_000;
        for (const { passes, many } of steps)
          for (const at of dispatch(tally, rate, (now += passes), many)) made.push(at);
        for (const at of dispatch(tally, rate, now, rate.count)) made.push(at);
        const ahead = Math.min(places, rate.count - 1);
        const { used, freesAt } = tally.windowOf(AGENT, rate, now, ahead);
        expect(used).toBe(rate.count);
        const due = freesAt ?? NaN;
        expect(tally.windowOf(AGENT, rate, due - 1, ahead).freesAt).toBe(freesAt);
        expect(tally.windowOf(AGENT, rate, due, ahead).freesAt).toBeNull();
        expect(dispatch(tally, rate, due, ahead + 1)).toHaveLength(ahead + 1);
        const exact = (made[made.length - rate.count + ahead] ?? NaN) + rate.windowMs;
        expect(due).toBeGreaterThanOrEqual(exact);
        expect(due - exact).toBeLessThan(rate.count > 256 ? rate.windowMs / 256 : 1);
      }),
      { numRuns: 25 },
    );
  });
});
