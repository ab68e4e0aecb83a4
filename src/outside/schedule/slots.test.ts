import { describe, expect, it } from "vitest";
import { parseCron, type Timing } from "../../registry/index.ts";
import { nextSlots, slotsBetween, timetableOf } from "./slots.ts";

function cron(text: string, timezone: string): Timing {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.failure);
  return { kind: "cron", cron: parsed.value, timezone };
}

function slots(timing: Timing, from: string, until: string): string[] {
  const found = [...slotsBetween(timetableOf(timing), Date.parse(from), Date.parse(until))];
  return found.map((slot) => new Date(slot).toISOString().slice(5, 16));
}

describe("slots of an interval", () => {
  const every = (everySeconds: number): Timing => ({ kind: "interval", everySeconds });

  it("are counted from the epoch, whenever the look begins", () => {
    expect(nextSlots(every(7), 1, 3)).toEqual([7_000, 14_000, 21_000]);
    expect(nextSlots(every(7), 7_000, 1)).toEqual([7_000]);
    expect(nextSlots(every(7), 7_001, 1)).toEqual([14_000]);
  });

  it("include the start of a look and leave out its end", () => {
    expect([...slotsBetween(timetableOf(every(1)), 1_000, 3_000)]).toEqual([1_000, 2_000]);
    expect([...slotsBetween(timetableOf(every(1)), 1_000, 1_000)]).toEqual([]);
  });

  it("are found from the end however long ago the start is", () => {
    expect(timetableOf(every(1)).last(0, 1e12 + 1, 2)).toEqual([1e12 - 1_000, 1e12]);
    expect(timetableOf(every(1)).last(0, 1e12, 1)).toEqual([1e12 - 1_000]);
  });
});

describe("slots by the calendar", () => {
  it("are due at the local time of the place", () => {
    const daily = cron("0 9 * * *", "Europe/Berlin");
    expect(slots(daily, "2026-01-05T00:00Z", "2026-01-06T00:00Z")).toEqual(["01-05T08:00"]);
    expect(slots(daily, "2026-07-05T00:00Z", "2026-07-06T00:00Z")).toEqual(["07-05T07:00"]);
    expect(slots(daily, "2026-01-05T08:00Z", "2026-01-06T08:00Z")).toEqual(["01-05T08:00"]);
  });

  it.each([
    ["0 0 1 * mon", ["06-01T00:00", "06-08T00:00", "06-15T00:00", "06-22T00:00", "06-29T00:00"]],
    ["0 0 2 * mon", ["06-01T00:00", "06-02T00:00", "06-08T00:00", "06-15T00:00", "06-22T00:00", "06-29T00:00"]],
    ["0 0 */15 * mon", ["06-01T00:00"]],
    ["0 0 8 * *", ["06-08T00:00"]],
    ["50/5 0 8 * 7", ["06-07T00:50", "06-07T00:55", "06-08T00:50", "06-08T00:55"]],
  ])("%s takes either day when both are restricted, and both otherwise", (text, found) => {
    const listed = slots(cron(text, "UTC"), "2026-06-01T00:00Z", "2026-06-30T00:00Z");
    expect(text.startsWith("50") ? listed.slice(0, 4) : listed).toEqual(found);
  });

  it("that never come are none", () => {
    expect(timetableOf(cron("0 0 30 2 *", "Europe/Berlin")).next(Date.UTC(2026, 0, 1))).toBeNull();
    expect(timetableOf(cron("0 0 30 2 *", "UTC")).last(0, Date.UTC(2026, 0, 1), 5)).toEqual([]);
    expect(nextSlots(cron("0 0 30 2 *", "UTC"), Date.UTC(2026, 0, 1), 5)).toEqual([]);
  });

  it("that are rare are found", () => {
    expect(slots(cron("0 12 29 2 *", "UTC"), "2026-01-01T00:00Z", "2033-01-01T00:00Z")).toEqual([
      "02-29T12:00",
      "02-29T12:00",
    ]);
  });
});

describe("where clocks go forward", () => {
  it.each([
    // Berlin leaves out 02:00 to 03:00 on 29 March 2026, at 01:00 UTC.
    ["Europe/Berlin", "30 2 * * *", "2026-03-28T12:00Z", "2026-03-30T12:00Z", ["03-29T01:00", "03-30T00:30"]],
    ["Europe/Berlin", "0 2 * * *", "2026-03-28T12:00Z", "2026-03-30T12:00Z", ["03-29T01:00", "03-30T00:00"]],
    ["Europe/Berlin", "0 3 * * *", "2026-03-28T12:00Z", "2026-03-30T12:00Z", ["03-29T01:00", "03-30T01:00"]],
    ["Europe/Berlin", "59 1 * * *", "2026-03-28T12:00Z", "2026-03-29T12:00Z", ["03-29T00:59"]],
    // New York leaves out 02:00 to 03:00 on 8 March 2026, at 07:00 UTC.
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00Z", "2026-03-09T12:00Z", ["03-08T07:00", "03-09T06:30"]],
    // Apia left out the whole of 30 December 2011, at 10:00 UTC.
    ["Pacific/Apia", "0 9 30 12 *", "2011-12-29T00:00Z", "2012-01-02T00:00Z", ["12-30T10:00"]],
  ])("in %s, %s runs once at the next time there is", (zone, text, from, until, found) => {
    expect(slots(cron(text, zone), from, until)).toEqual(found);
  });

  it("several times that are left out make one slot", () => {
    const often = cron("*/20 * * * *", "Europe/Berlin");
    expect(slots(often, "2026-03-29T00:30Z", "2026-03-29T01:30Z")).toEqual([
      "03-29T00:40",
      "03-29T01:00",
      "03-29T01:20",
    ]);
    expect(slots(often, "2026-03-29T01:00Z", "2026-03-29T01:10Z")).toEqual(["03-29T01:00"]);
  });
});

describe("a slot at the very instant clocks go forward", () => {
  const JUMP = Date.parse("2026-03-29T01:00Z");
  const NEXT = Date.parse("2026-03-30T00:30Z");
  const table = timetableOf(cron("30 2 * * *", "Europe/Berlin"));

  it("is due then, and not again a millisecond later", () => {
    expect([JUMP - 1, JUMP, JUMP + 1].map((from) => table.next(from))).toEqual([JUMP, JUMP, NEXT]);
  });

  it("belongs to a look that begins with it, and not to one that ends there", () => {
    expect([...slotsBetween(table, JUMP, NEXT)]).toEqual([JUMP]);
    expect([...slotsBetween(table, JUMP - 1, JUMP)]).toEqual([]);
    expect(table.last(JUMP, JUMP + 1, 5)).toEqual([JUMP]);
    expect(table.last(JUMP - 1_000, JUMP, 5)).toEqual([]);
    expect(table.last(JUMP + 1, NEXT, 5)).toEqual([]);
  });

  it("is one although two times of the calendar fall on it", () => {
    const both = timetableOf(cron("30 2,3 * * *", "Europe/Berlin"));
    expect(both.last(JUMP - 1_000, JUMP + 3_600_000, 5)).toEqual([JUMP, JUMP + 1_800_000]);
    const same = timetableOf(cron("0 2,3 * * *", "Europe/Berlin"));
    expect(same.last(JUMP - 1_000, JUMP + 1_000, 5)).toEqual([JUMP]);
    expect([...slotsBetween(same, JUMP, JUMP + 3_600_000)]).toEqual([JUMP]);
  });
});

describe("where clocks go back", () => {
  it.each([
    // Berlin has 02:00 to 03:00 twice on 25 October 2026, from 00:00 and from 01:00 UTC.
    ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z", "2026-10-26T12:00Z", ["10-25T00:30", "10-26T01:30"]],
    ["Europe/Berlin", "0 3 * * *", "2026-10-24T12:00Z", "2026-10-26T00:00Z", ["10-25T02:00"]],
    ["Europe/Berlin", "30 2 * * *", "2026-10-25T00:31Z", "2026-10-25T12:00Z", []],
    // New York has 01:00 to 02:00 twice on 1 November 2026, from 05:00 and from 06:00 UTC.
    ["America/New_York", "15 1 * * *", "2026-10-31T12:00Z", "2026-11-02T12:00Z", ["11-01T05:15", "11-02T06:15"]],
  ])("in %s, %s runs once, the first time", (zone, text, from, until, found) => {
    expect(slots(cron(text, zone), from, until)).toEqual(found);
  });

  it("the hour that comes again is not gone through again", () => {
    const often = cron("*/30 * * * *", "Europe/Berlin");
    const found = ["10-25T00:00", "10-25T00:30", "10-25T02:00", "10-25T02:30"];
    expect(slots(often, "2026-10-25T00:00Z", "2026-10-25T03:00Z")).toEqual(found);
    const table = timetableOf(often);
    const newest = table.last(Date.parse("2026-10-24T00:00Z"), Date.parse("2026-10-25T01:10Z"), 2);
    expect(newest.map((slot) => new Date(slot).toISOString().slice(5, 16))).toEqual(["10-25T00:00", "10-25T00:30"]);
  });
});
