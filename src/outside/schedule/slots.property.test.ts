import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron, type Timing } from "../../registry/index.ts";
import { slotsBetween, timetableOf } from "./slots.ts";

const RUNS = 60;
const HOUR_MS = 3_600_000;
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
const EXPRESSIONS = ["*/7 * * * *", "30 2 * * *", "0 1-3 * * sun", "15,45 */2 1-15 * *", "59 23 28-31 * fri", "@daily"];

const timing: fc.Arbitrary<Timing> = fc.oneof(
  fc.record({ kind: fc.constant("interval" as const), everySeconds: fc.integer({ min: 600, max: 100_000 }) }),
  fc.tuple(fc.constantFrom(...EXPRESSIONS), fc.constantFrom(...ZONES)).map(([text, timezone]): Timing => {
    const cron = parseCron(text);
    if (!cron.ok) throw new Error(cron.failure);
    return { kind: "cron", cron: cron.value, timezone };
  }),
);
/** Around the days on which clocks are changed, in both directions, and at any other time. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 2, 28), max: Date.UTC(2026, 2, 31) }),
  fc.integer({ min: Date.UTC(2026, 9, 24), max: Date.UTC(2026, 9, 27) }),
  fc.integer({ min: Date.UTC(2026, 2, 7), max: Date.UTC(2026, 2, 10) }),
  fc.integer({ min: Date.UTC(2026, 9, 31), max: Date.UTC(2026, 10, 3) }),
  fc.integer({ min: Date.UTC(2011, 11, 29), max: Date.UTC(2012, 0, 1) }),
  fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
);
const length = fc.integer({ min: 0, max: 30 * HOUR_MS });

describe("slots", () => {
  it("of adjacent intervals are those of the whole, each once and in order", () => {
    fc.assert(
      fc.property(timing, instant, length, length, (when, from, first, second) => {
        const table = timetableOf(when);
        const between = (start: number, end: number): number[] => [...slotsBetween(table, start, end)];
        const whole = between(from, from + first + second);
        expect([...between(from, from + first), ...between(from + first, from + first + second)]).toEqual(whole);
        expect(whole.every((slot) => slot >= from && slot < from + first + second)).toBe(true);
        expect(whole.every((slot, index) => index === 0 || slot > (whole[index - 1] ?? slot))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("looked for from the end are the newest of those looked for from the start", () => {
    fc.assert(
      fc.property(timing, instant, length, fc.integer({ min: 0, max: 120 }), (when, from, span, count) => {
        const table = timetableOf(when);
        const all = [...slotsBetween(table, from, from + span)];
        expect(table.last(from, from + span, count)).toEqual(count === 0 ? [] : all.slice(-count));
      }),
      { numRuns: RUNS },
    );
  });

  it("of a daily time come once for every day there is, whatever the clocks do", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        (timezone, hour, minute) => {
          const cron = parseCron(`${minute} ${hour} * * *`);
          if (!cron.ok) throw new Error(cron.failure);
          const table = timetableOf({ kind: "cron", cron: cron.value, timezone });
          const day = new Intl.DateTimeFormat("en-CA", { timeZone: timezone });
          const year = [...slotsBetween(table, Date.UTC(2026, 0, 2), Date.UTC(2026, 11, 30))];
          const days = new Set(year.map((slot) => day.format(slot)));
          expect(days.size).toBe(year.length);
          expect(year.length).toBeGreaterThanOrEqual(361);
        },
      ),
      { numRuns: 8 },
    );
  });
});
