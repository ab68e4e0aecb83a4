import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addHits,
  countSince,
  EXACT_COUNT_MAX,
  type Hits,
  expiryOfOldest,
  rateWindowOf,
  sliceMsOf,
  SLICES,
} from "./rate-window.ts";

const LONGEST_MS = 30 * 86_400_000;

const hitsArb: fc.Arbitrary<readonly Hits[]> = fc.array(
  fc.record({ at: fc.integer({ min: 1, max: 2_000 }), count: fc.integer({ min: 1, max: 9 }) }),
  { maxLength: 60 },
);
const rateArb = fc.record({
  count: fc.constantFrom(1, 255, 256, 257, 1_000_000),
  windowMs: fc.constantFrom(1, 500, 1_000, 10_000),
});

const sum = (hits: readonly Hits[]): number => hits.reduce((total, { count }) => total + count, 0);
const oneByOne = (hits: readonly Hits[], rate: Parameters<typeof addHits>[2]) =>
  hits.reduce<readonly Hits[]>((kept, one) => addHits(kept, [one], rate, Infinity), []);

describe("a window of milliseconds", () => {
  it.each([
    [0.5, 500],
    [1, 1_000],
    [1.001, 1_001],
    [1.1, 1_100],
    [0.0004, 1],
    [1e-12, 1],
    [0.0011, 2],
    [2_592_000, LONGEST_MS],
  ])("of %d s has %i", (perSeconds, windowMs) => {
    expect(rateWindowOf({ count: 3, perSeconds })).toEqual({ count: 3, windowMs });
  });

  it.each([
    [256, LONGEST_MS, 1],
    [257, LONGEST_MS, 10_125_000],
    [257, 256, 1],
    [257, 257, 2],
    [1_000_000, 1, 1],
  ])("for %i in %i ms has slices of %i ms", (count, windowMs, sliceMs) => {
    expect(sliceMsOf({ count, windowMs })).toBe(sliceMs);
  });
});

describe("hits", () => {
  it("are the same in whatever order and company they are added", () => {
    fc.assert(
      fc.property(hitsArb, hitsArb, rateArb, (some, more, rate) => {
        const all = addHits([], [...some, ...more], rate, Infinity);
        expect(addHits(addHits([], more, rate, Infinity), some, rate, Infinity)).toEqual(all);
        expect(oneByOne([...more, ...some], rate)).toEqual(all);
        expect(addHits(all, [], rate, Infinity)).toEqual(all);
        expect(sum(all)).toBe(sum(some) + sum(more));
      }),
      { numRuns: 300 },
    );
  });

  it("never count for less than they are, and for a slice more at most", () => {
    fc.assert(
      fc.property(hitsArb, rateArb, fc.integer({ min: 0, max: 2_000 }), (hits, rate, since) => {
        const kept = countSince(addHits([], hits, rate, Infinity), since);
        const after = (moment: number) => sum(hits.filter(({ at }) => at > moment));
        expect(kept).toBeGreaterThanOrEqual(after(since));
        expect(kept).toBeLessThanOrEqual(after(since + 1 - sliceMsOf(rate)));
      }),
      { numRuns: 300 },
    );
  });

  it("stand at as few moments as a window has slices, or at their own", () => {
    fc.assert(
      fc.property(hitsArb, rateArb, (hits, rate) => {
        const kept = addHits([], hits, rate, rate.windowMs);
        const newest = hits.reduce((last, { at }) => Math.max(last, at), 0);
        for (const { at } of kept) expect(at).toBeGreaterThan(newest - rate.windowMs);
        if (rate.count > EXACT_COUNT_MAX) expect(kept.length).toBeLessThanOrEqual(SLICES + 1);
        else expect(kept.length).toBe(new Set(kept.map(({ at }) => at)).size);
      }),
      { numRuns: 300 },
    );
  });

  it("leave when enough of the oldest have, and not a moment before", () => {
    fc.assert(
      fc.property(hitsArb, rateArb, fc.integer({ min: 1, max: 400 }), (hits, rate, many) => {
        const kept = addHits([], hits, rate, Infinity);
        const at = expiryOfOldest(kept, many, rate.windowMs);
        if (at === null) {
          expect(sum(kept)).toBeLessThan(many);
          return;
        }
        expect(sum(kept) - countSince(kept, at - rate.windowMs)).toBeGreaterThanOrEqual(many);
        expect(sum(kept) - countSince(kept, at - 1 - rate.windowMs)).toBeLessThan(many);
      }),
      { numRuns: 300 },
    );
  });
});

it("hits of one slice of a large window are kept as one, those of two slices as two", () => {
  const rate = { count: 257, windowMs: 25_600 };
  const hits = [1_000, 1_050, 1_099, 1_100].map((at) => ({ at, count: 1 }));
  expect(addHits([], hits, rate, Infinity)).toEqual([
    { at: 1_099, count: 3 },
    { at: 1_100, count: 1 },
  ]);
});
