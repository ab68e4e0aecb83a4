/** Trends: totals of ended runs over time. */
import { z } from "zod";
import { TREND_BUCKETS, TREND_GROUPS } from "../core/search/index.ts";
import { type Answered, type Asked, count, micros, moment, usd } from "./field.ts";
import { filterText } from "./page.ts";

const when = z.string().max(40).optional();

export const trendsQuery = z.object({
  bucket: z.enum(TREND_BUCKETS).default("day"),
  by: z.enum(TREND_GROUPS).optional().describe("What each row is of; without it a row is of everything"),
  group: filterText.optional().describe("Only this one, with by; a version is name@2"),
  since: when.describe("ISO 8601, or how long ago, such as 7d; default: 30 days ago, or a day where buckets are hours"),
  until: when.describe("The same; default: now"),
});
export type TrendsQuery = Asked<typeof trendsQuery>;

const pointSchema = z.object({
  bucketStart: moment,
  group: z.string().nullable().describe("The workflow, version, agent or model; null when by is not given"),
  runs: count.describe("Runs created in this time that have ended"),
  completed: count,
  failed: count,
  cancelled: count,
  timedOut: count,
  successRate: z.number().min(0).max(1).nullable().describe("Of those that were not cancelled; null: there are none"),
  p50Ms: count.nullable().describe("Half of the runs took no longer, within a tenth"),
  p95Ms: count.nullable().describe("95 of 100 runs took no longer, within a tenth"),
  waitingMs: count.describe("How long a run waited with no node at work, on average"),
  costMicros: micros,
  costUsd: usd,
  filter: z.record(z.string(), z.string()).describe("Parameters of /runs that list these runs, and those still open"),
});
export type TrendPoint = Answered<typeof pointSchema>;

export const trendsSchema = z.object({
  bucket: z.enum(TREND_BUCKETS),
  by: z.enum(TREND_GROUPS).nullable(),
  since: moment,
  until: moment,
  data: z.array(pointSchema),
});
export type Trends = Answered<typeof trendsSchema>;
