import type { TrendPoint, Trends } from "../../../client/index.ts";

/** A time bucket, with the figures of the runs that ended in it. */
export interface TrendSlot {
  readonly at: number;
  /** For example `18 Nov` or `14:00`. */
  readonly label: string;
  readonly point: TrendPoint | null;
}

const SIZES = { hour: 3_600_000, day: 86_400_000 } as const;

/** Returns a slot for every bucket of the time span. A bucket in which no run ended stays empty, so every bar is at its time. */
export function slotsOf({ data, since, until }: Trends, bucket: keyof typeof SIZES): readonly TrendSlot[] {
  const size = SIZES[bucket];
  const points = new Map(data.map((point) => [Date.parse(point.bucketStart), point]));
  const slots: TrendSlot[] = [];
  for (let at = Math.floor(Date.parse(since) / size) * size; at < Date.parse(until); at += size) {
    slots.push({ at, label: labelOf(at, bucket), point: points.get(at) ?? null });
  }
  return slots;
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function labelOf(at: number, bucket: keyof typeof SIZES): string {
  return bucket === "day" ? DAY.format(at) : new Date(at).toISOString().slice(11, 16);
}

/** The figures of a group over the whole time span. */
export interface TrendRow {
  readonly group: string;
  readonly runs: number;
  readonly failed: number;
  /** Null when all runs were cancelled. */
  readonly successRate: number | null;
  /** The highest value of all buckets. */
  readonly p95Ms: number | null;
  readonly costMicros: number;
  /** Filter parameters that list the runs of the group. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Returns a row per group, those with the most runs first. */
export function trendRows({ data, since, until }: Trends): readonly TrendRow[] {
  const groups = new Map<string, TrendPoint[]>();
  for (const point of data) {
    const name = point.group ?? "none";
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [point]);
    else known.push(point);
  }
  return [...groups]
    .map(([group, points]) => rowOf(group, points, { since, until }))
    .sort((left, right) => right.runs - left.runs);
}

function rowOf(group: string, points: readonly TrendPoint[], span: { since: string; until: string }): TrendRow {
  const sum = (of: (point: TrendPoint) => number): number => points.reduce((all, point) => all + of(point), 0);
  const runs = sum((point) => point.runs);
  const judged = runs - sum(({ cancelled }) => cancelled);
  return {
    group,
    runs,
    failed: sum(({ failed, timedOut }) => failed + timedOut),
    successRate: judged === 0 ? null : sum(({ completed }) => completed) / judged,
    p95Ms: points.reduce<number | null>(
      (most, { p95Ms }) => (p95Ms === null ? most : Math.max(most ?? 0, p95Ms)),
      null,
    ),
    costMicros: sum(({ costMicros }) => costMicros),
    filter: { ...points[0]?.filter, ...span },
  };
}

/** Returns the address of the list of runs behind a figure. */
export function runsAddress(filter: Readonly<Record<string, string>>): string {
  return `/runs?${new URLSearchParams(filter).toString()}`;
}
