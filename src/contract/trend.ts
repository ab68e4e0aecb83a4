/** Trends: totals of ended runs over time. */
import { z } from "zod";
import { TREND_BUCKETS, TREND_GROUPS } from "../core/search/index.ts";
import { type Answered, type Asked, count, micros, moment, usd } from "./field.ts";
import { filterText } from "./page.ts";

const when = z.string().max(40).optional();

export const trendsQuery = z.object({
  bucket: z.enum(TREND_BUCKETS).default("day"),
  by: z.enum(TREND_GROUPS).optional().describe("Grouping of the rows. Default: one row for everything"),
  group: filterText.optional().describe("Selects one value of `by`, such as name@2 for a version"),
  since: when.describe(
    "Start: ISO 8601, or a duration before now, such as 7d. Default: 30 days, or one day with hourly buckets",
  ),
  until: when.describe("End, in the same forms. Default: now"),
});
export type TrendsQuery = Asked<typeof trendsQuery>;

const pointSchema = z.object({
  bucketStart: moment,
  group: z.string().nullable().describe("Workflow, version, agent or model of the row; null without `by`"),
  runs: count.describe("Number of runs created in this time that have ended"),
  completed: count,
  failed: count,
  cancelled: count,
  timedOut: count,
  successRate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Share of completed runs among those that were not cancelled; null when there are none"),
  p50Ms: count.nullable().describe("Median duration of the runs, accurate to 10 %"),
  p95Ms: count.nullable().describe("95th percentile of the duration of the runs, accurate to 10 %"),
  waitingMs: count.describe("Average time that a run waited while no node was running"),
  costMicros: micros,
  costUsd: usd,
  filter: z
    .record(z.string(), z.string())
    .describe("Query parameters of /runs that list these runs and those still open"),
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
