import { describe, expect, it } from "vitest";
import type { TrendPoint, Trends } from "../../../client/index.ts";
import { runsAddress, slotsOf, trendRows } from "./trend-figures.ts";

const point = (group: string, runs: number, completed: number, p95Ms: number | null): TrendPoint =>
  ({
    group,
    runs,
    completed,
    failed: runs - completed,
    cancelled: 0,
    timedOut: 0,
    p95Ms,
    costMicros: 5,
    filter: { workflow: group, since: "a", until: "b" },
  }) as unknown as TrendPoint;

describe("trends by group", () => {
  it("add up over the span, busiest first, and lead to the runs of all of it", () => {
    const data = [point("order", 4, 3, 100), point("hello", 1, 1, null), point("order", 4, 4, 300)];
    const rows = trendRows({ data, since: "2026-11-01", until: "2026-11-17" } as unknown as Trends);
    expect(
      rows.map(({ group, runs, failed, successRate, p95Ms, costMicros }) => [
        group,
        runs,
        failed,
        successRate,
        p95Ms,
        costMicros,
      ]),
    ).toEqual([
      ["order", 8, 1, 0.875, 300, 10],
      ["hello", 1, 0, 1, null, 5],
    ]);
    expect(runsAddress(rows[0]?.filter ?? {})).toBe("/runs?workflow=order&since=2026-11-01&until=2026-11-17");
  });
});

describe("a span of trends", () => {
  it("has a place for every day, also for those in which no run ended", () => {
    const data = [{ ...point("order", 4, 3, 100), bucketStart: "2026-11-16T00:00:00.000Z" }];
    const span = { since: "2026-11-15T09:00:00.000Z", until: "2026-11-18T09:00:00.000Z" };
    const slots = slotsOf({ data, ...span } as unknown as Trends, "day");
    expect(slots.map(({ label, point: found }) => [label, found?.runs ?? null])).toEqual([
      ["15 Nov", null],
      ["16 Nov", 4],
      ["17 Nov", null],
      ["18 Nov", null],
    ]);
  });
});
