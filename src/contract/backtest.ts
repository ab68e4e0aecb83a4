/** Backtest of a policy draft: the recorded verdicts it would have changed. */
import { z } from "zod";
import { type Answered, count, moment } from "./field.ts";
import { dispositionSchema } from "./verdict.ts";

export const backtestSchema = z.object({
  policy: z.object({ name: z.string(), version: count.describe("Version that the draft would get") }),
  since: moment.nullable(),
  looked: count.describe("Number of verdicts that the draft was evaluated on, newest first"),
  isLimited: z.boolean().describe("Whether there are more verdicts than were evaluated"),
  unreadable: count.describe("Number of verdicts whose facts can no longer be read"),
  matched: count.describe("Number of verdicts for which the condition was true"),
  changed: count,
  uncertain: count.describe(
    "Number of verdicts whose result is uncertain because the condition reads args that were not stored",
  ),
  counts: z.array(z.object({ before: dispositionSchema, after: dispositionSchema, count })),
  examples: z.array(
    z.object({
      verdictId: z.string(),
      runId: z.string(),
      nodeId: z.string(),
      agentId: z.string(),
      callId: z.string().nullable().describe("Id of the tool call that was judged; null when the node was judged"),
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
