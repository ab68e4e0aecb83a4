/** Usage: counted tokens and costs. */
import { z } from "zod";
import { type Answered, type Asked, count, micros, moment, usd } from "./field.ts";

export const usageBucketSchema = z.enum(["hour", "day", "week", "month"]);
export const usageGroupSchema = z.enum(["agent", "model", "workflow", "gateway"]);

const when = z.string().max(40).optional();
export const usageQuery = z.object({
  bucket: usageBucketSchema.default("day"),
  by: usageGroupSchema.optional().describe("Grouping of the rows. Default: one row for everything"),
  since: when.describe("Start: ISO 8601, or a duration before now, such as 7d. Default: 90 days"),
  until: when.describe("End, in the same forms. Default: now"),
});
export type UsageQuery = Asked<typeof usageQuery>;

const spentSchema = z.object({
  count: count.describe("Number of cost reports"),
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
      group: z.string().nullable().describe("Agent, model, workflow or gateway of the row; null when there is none"),
      ...spentSchema.shape,
    }),
  ),
  totals: spentSchema,
});
export type Usage = Answered<typeof usageSchema>;
