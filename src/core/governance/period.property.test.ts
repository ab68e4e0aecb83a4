import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, DAY_MS, dayOf } from "../base/index.ts";
import { instantText, readInstant } from "./calendar.ts";
import { periodOf } from "./period.ts";
import { PERIODS } from "./registered.ts";

/** As far as dates of the language go, a year at each end left free for the next period. */
const moments = fc.integer({ min: -8.6e15, max: 8.6e15 });
const days = fc.integer({ min: -99_000_000, max: 99_000_000 });
const utc = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe("the calendar", () => {
  it("agrees with the language's own, in both directions", () => {
    fc.assert(
      fc.property(days, (day) => {
        const date = new Date(day * DAY_MS);
        const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(dateOf(day)).toEqual(civil);
        expect(dayOf(civil)).toBe(day);
      }),
      { numRuns: 2_000 },
    );
  });

  it("writes and reads moments in the usual form", () => {
    fc.assert(
      fc.property(moments, (at) => {
        expect(instantText(at)).toBe(`${new Date(at).toISOString().slice(0, -5)}Z`);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.integer({ min: utc("0001-01-01"), max: utc("9999-12-31") }), (at) => {
        const text = new Date(at).toISOString();
        expect(readInstant(text)).toBe(at);
        expect(readInstant(text.slice(0, 10))).toBe(utc(text.slice(0, 10)));
      }),
      { numRuns: 500 },
    );
    expect(instantText(Number.NaN)).toBe("an unknown time");
  });

  it.each([
    ["2031-05-04T10:00", "2031-05-04T10:00:00Z"],
    ["2031-05-04T10:00:30", "2031-05-04T10:00:30Z"],
    ["2031-05-04T10:00:00+02:00", "2031-05-04T08:00:00Z"],
    ["2031-05-04T23:30:00-0130", "2031-05-05T01:00:00Z"],
    ["2031-05-04T10:00:00.5Z", "2031-05-04T10:00:00.500Z"],
    ["2028-02-29", "2028-02-29T00:00:00Z"],
  ])("reads %s", (text, same) => {
    expect(readInstant(text)).toBe(Date.parse(same));
  });

  it.each([
    "2031-02-29",
    "2100-02-29",
    "2031-00-01",
    "2031-13-01",
    "2031-04-31",
    "2031-05-00",
    "2031-05-04T24:00",
    "2031-05-04T10:60",
    "2031-05-04T10:00:60Z",
    "2031-05-04T10:00:00+24:00",
    "2031-05-04T10:00:00+02:60",
    "yesterday",
    "",
  ])("refuses %j", (text) => {
    expect(readInstant(text)).toBeNull();
  });
});

describe("periods", () => {
  it.each(PERIODS)("%s: contains its moment, and the next begins where it ends", (period) => {
    fc.assert(
      fc.property(moments, (at) => {
        const { start, end } = periodOf(period, at);
        expect(start <= at && at < end).toBe(true);
        expect(periodOf(period, start)).toEqual({ start, end });
        expect(periodOf(period, end - 1)).toEqual({ start, end });
        expect(periodOf(period, end).start).toBe(end);
        expect(periodOf(period, start - 1).end).toBe(start);
        const first = new Date(start);
        expect(start % DAY_MS).toBe(start < 0 ? -0 : 0);
        if (period === "weekly") expect([first.getUTCDay(), (end - start) / DAY_MS]).toEqual([0, 7]);
        if (period === "monthly") expect(first.getUTCDate()).toBe(1);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["daily", "2031-05-04", "2031-05-05"],
    ["weekly", "2031-05-04", "2031-05-11"],
    ["monthly", "2031-05-01", "2031-06-01"],
  ] as const)("%s begins with its first millisecond", (period, first, next) => {
    expect(periodOf(period, utc(first))).toEqual({ start: utc(first), end: utc(next) });
    expect(periodOf(period, utc(next) - 1)).toEqual({ start: utc(first), end: utc(next) });
    expect(periodOf(period, utc(next)).start).toBe(utc(next));
  });

  it.each([
    ["2028-02-29", "2028-02-01", "2028-03-01"],
    ["2031-02-28", "2031-02-01", "2031-03-01"],
    ["2100-02-28", "2100-02-01", "2100-03-01"],
    ["2000-02-29", "2000-02-01", "2000-03-01"],
    ["2031-12-31", "2031-12-01", "2032-01-01"],
    ["1969-12-31", "1969-12-01", "1970-01-01"],
  ])("the month of %s", (at, first, next) => {
    expect(periodOf("monthly", utc(at))).toEqual({ start: utc(first), end: utc(next) });
  });
});
