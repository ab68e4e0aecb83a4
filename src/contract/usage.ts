/** Usage: counted tokens and costs. */
import { z } from "zod";
import { type Answered, type Asked, count, micros, moment, usd } from "./field.ts";

export const usageBucketSchema = z.enum(["hour", "day", "week", "month"]);
export const usageGroupSchema = z.enum(["agent", "model", "workflow", "gateway"]);

const when = z.string().max(40).optional();
export const usageQuery = z.object({
  bucket: usageBucketSchema.default("day"),
  by: usageGroupSchema.optional().describe("What each row is of; without it a row is of everything"),
  since: when.describe("ISO 8601, or how long ago, such as 7d; 90 days ago otherwise"),
  until: when.describe("The same; now otherwise"),
});
export type UsageQuery = Asked<typeof usageQuery>;

const spentSchema = z.object({
  count: count.describe("Reports of cost"),
  inputTokens: count,
  outputTokens: count,
  thinkingTokens: count,
  cachedTokens: count,
  costMicros: micros,
  costUsd: usd,
});
export type Spent = Answered<typeof spentSchema>;

export const usageSchema = z.object({
  bucket: usageBucketSchema,
  by: usageGroupSchema.nullable(),
  since: moment,
  until: moment,
  data: z.array(
    z.object({
      bucketStart: moment,
      group: z.string().nullable().describe("The agent, model, workflow or gateway; null when there is none"),
      ...spentSchema.shape,
    }),
  ),
  totals: spentSchema,
});
export type Usage = Answered<typeof usageSchema>;
