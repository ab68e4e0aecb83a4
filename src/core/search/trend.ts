import type { RunStatus } from "../event/index.ts";
import { isTerminal } from "../event/index.ts";

/** Groupings of trends: by a property of the runs. Without a grouping, a trend covers all runs. */
export const TREND_GROUPS = ["workflow", "version", "agent", "model"] as const;
export type TrendGroup = (typeof TREND_GROUPS)[number];

export const TREND_BUCKETS = ["hour", "day"] as const;
export type TrendBucket = (typeof TREND_BUCKETS)[number];

const BUCKET_MS: Readonly<Record<TrendBucket, number>> = { hour: 3_600_000, day: 86_400_000 };

/** Returns the start of the bucket that contains a moment, UTC. */
export function trendStart(bucket: TrendBucket, at: number): number {
  return Math.floor(at / BUCKET_MS[bucket]) * BUCKET_MS[bucket];
}

export function trendEnd(bucket: TrendBucket, start: number): number {
  return start + BUCKET_MS[bucket];
}

/** Sums over runs that have ended, so that figures of several hours or groups can be added. */
export interface TrendFigures {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly waitingMs: number;
  readonly costMicros: number;
  /** Distribution of durations, in order: a step of the scale, and the number of runs in it. */
  readonly durations: readonly (readonly [step: number, count: number])[];
}

export const NO_FIGURES: TrendFigures = {
  completed: 0,
  failed: 0,
  cancelled: 0,
  timedOut: 0,
  waitingMs: 0,
  costMicros: 0,
  durations: [],
};

interface SettledRun {
  readonly status: RunStatus;
  readonly durationMs: number;
  readonly waitingMs: number;
  readonly costMicros: number;
}

/** Returns the figures of one run. Null while the run is open. */
export function figuresOf({ status, durationMs, waitingMs, costMicros }: SettledRun): TrendFigures | null {
  if (!isTerminal(status)) return null;
  return {
    completed: status === "completed" ? 1 : 0,
    failed: status === "failed" ? 1 : 0,
    cancelled: status === "cancelled" ? 1 : 0,
    timedOut: status === "timed_out" ? 1 : 0,
    waitingMs: Math.min(waitingMs, durationMs),
    costMicros,
    durations: [[stepOf(durationMs), 1]],
  };
}

/** Adds figures. With `times` -1, subtracts figures that were added before. */
export function addFigures(left: TrendFigures, right: TrendFigures, times: 1 | -1 = 1): TrendFigures {
  const durations = new Map(left.durations);
  for (const [step, count] of right.durations) durations.set(step, (durations.get(step) ?? 0) + times * count);
  return {
    completed: left.completed + times * right.completed,
    failed: left.failed + times * right.failed,
    cancelled: left.cancelled + times * right.cancelled,
    timedOut: left.timedOut + times * right.timedOut,
    waitingMs: left.waitingMs + times * right.waitingMs,
    costMicros: left.costMicros + times * right.costMicros,
    durations: [...durations].filter(([, count]) => count > 0).sort(([a], [b]) => a - b),
  };
}

/** Each step of the scale is 10 % longer than the previous one: fine enough for a chart, with few steps. */
const GROWTH = Math.log(1.1);

function stepOf(ms: number): number {
  return ms < 1 ? 0 : Math.floor(Math.log(ms) / GROWTH) + 1;
}

/** Returns the duration that the given part of the runs did not exceed, within 10 %. Null when there are no runs. */
export function quantileOf({ durations }: TrendFigures, part: number): number | null {
  const total = durations.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.max(1, Math.ceil(total * part));
  for (const [step, count] of durations) {
    left -= count;
    // The middle of the step.
    if (left <= 0) return step === 0 ? 0 : Math.round(Math.exp((step - 0.5) * GROWTH));
  }
  return null;
}

/** Returns the share of completed runs among those not cancelled. Null when there are none. */
export function successRateOf({ completed, failed, timedOut }: TrendFigures): number | null {
  const ended = completed + failed + timedOut;
  return ended === 0 ? null : completed / ended;
}
