/** Backtest of a policy draft: the recorded verdicts it would have changed. */
import { z } from "zod";
import { type Answered, count, moment } from "./field.ts";
import { dispositionSchema } from "./verdict.ts";

export const backtestSchema = z.object({
  policy: z.object({ name: z.string(), version: count.describe("The version the draft would become") }),
  since: moment.nullable(),
  looked: count.describe("Verdicts it was tried on, newest first"),
  isLimited: z.boolean().describe("There are more verdicts than are looked at"),
  unreadable: count.describe("Verdicts whose facts cannot be read any more"),
  matched: count.describe("Verdicts for which the condition held"),
  changed: count,
  uncertain: count.describe("Verdicts of which not all args were kept, although the condition reads some"),
  counts: z.array(z.object({ before: dispositionSchema, after: dispositionSchema, count })),
  examples: z.array(
    z.object({
      verdictId: z.string(),
      runId: z.string(),
      nodeId: z.string(),
      agentId: z.string(),
      callId: z.string().nullable().describe("The tool call it is about; null: the node"),
      at: moment,
      before: dispositionSchema,
      after: dispositionSchema,
      gate: z.string().nullable(),
      message: z.string().nullable(),
      isUncertain: z.boolean(),
    }),
  ),
  notes: z.array(z.string()),
});
export type BacktestReport = Answered<typeof backtestSchema>;
