import { describe, expect, it } from "vitest";
import type { Usage } from "../../../client/index.ts";
import { csvOf, seriesOf, spendersOf } from "./usage-series.ts";

type Row = Usage["data"][number];
const NOTHING = {
  count: 0,
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  cachedTokens: 0,
  costMicros: 0,
  costUsd: "0",
};

function row(day: number, group: string | null, costMicros: number): Row {
  const bucketStart = `2026-11-${String(day).padStart(2, "0")}T00:00:00.000Z`;
  return { ...NOTHING, bucketStart, group, costMicros, count: 1, inputTokens: 10, outputTokens: 5 };
}

function usage(data: readonly Row[], more: Partial<Usage> = {}): Usage {
  const costMicros = data.reduce((sum, each) => sum + each.costMicros, 0);
  return {
    bucket: "day",
    by: "agent",
    since: "2026-11-02T06:00:00.000Z",
    until: "2026-11-06T12:00:00.000Z",
    data,
    totals: { ...NOTHING, costMicros },
    ...more,
  };
}

describe("usage over time", () => {
  it("has a bar for every day, also for those without any", () => {
    const { bars, groups } = seriesOf(usage([row(3, "a", 5), row(5, "b", 7), row(5, "a", 1)]), "cost");
    expect(bars.map(({ label }) => label)).toEqual(["2 Nov", "3 Nov", "4 Nov", "5 Nov", "6 Nov"]);
    expect(groups).toEqual(["b", "a"]);
    expect(bars[3]?.parts).toEqual([
      { group: "b", value: 7 },
      { group: "a", value: 1 },
    ]);
  });

  it("draws small groups together, but never one alone", () => {
    const many = (count: number): Usage =>
      usage(Array.from({ length: count }, (_, index) => row(3, `g${index}`, 100 - index)));
    expect(seriesOf(many(8), "cost").groups).toHaveLength(8);
    expect(seriesOf(many(9), "cost").groups).toEqual(["g0", "g1", "g2", "g3", "g4", "g5", "g6", "others"]);
    expect(seriesOf(many(9), "cost").bars[1]?.parts.at(-1)).toEqual({ group: "others", value: 93 + 92 });
  });

  it("measures tokens and attempts as well", () => {
    const data = usage([row(3, null, 5)]);
    expect(seriesOf(data, "tokens").bars[1]?.parts).toEqual([{ group: "none", value: 15 }]);
    expect(seriesOf(data, "count").bars[1]?.parts).toEqual([{ group: "none", value: 1 }]);
  });

  it("follows the months", () => {
    const data = [{ ...row(3, "a", 1), bucketStart: "2026-09-01T00:00:00.000Z" }];
    expect(
      seriesOf(usage(data, { bucket: "month", since: "2026-09-10T00:00:00.000Z" }), "cost").bars.map(
        ({ label }) => label,
      ),
    ).toEqual(["2026-09", "2026-10", "2026-11"]);
  });

  it("has every hour of a long span, also the newest", () => {
    const since = "2026-10-01T00:00:00.000Z";
    const { bars } = seriesOf(
      usage([row(1, "a", 1)], { bucket: "hour", since, until: "2026-11-02T06:30:00.000Z" }),
      "cost",
    );
    expect(bars).toHaveLength(32 * 24 + 7);
    expect(bars.at(-1)?.label).toBe("06:00");
  });

  it("takes any number of rows", () => {
    const data = Array.from({ length: 200_000 }, (_, index) => row(3 + (index % 3), `agent ${index}`, 1));
    expect(seriesOf(usage(data), "cost").bars).toHaveLength(5);
  });

  it("is empty when nothing was spent", () => {
    expect(seriesOf(usage([]), "cost")).toEqual({ groups: [], bars: [] });
    expect(spendersOf(usage([]))).toEqual([]);
  });

  it("ranks who spent most", () => {
    const spenders = spendersOf(usage([row(3, "a", 5), row(4, "b", 15), row(5, "a", 0)]));
    expect(spenders.map(({ group, share, count }) => [group, share, count])).toEqual([
      ["b", 0.75, 1],
      ["a", 0.25, 2],
    ]);
  });

  it("exports what spreadsheets can read, and no formulas", () => {
    const text = csvOf(usage([row(3, '=HYPERLINK("x"),1', 5)]));
    expect(text.split("\r\n")[1]).toBe(`2026-11-03T00:00:00.000Z,"'=HYPERLINK(""x""),1",1,10,5,0,0,5,0`);
  });
});
