/** The turn of an agent: its rounds, and the outcome of each tool call. */
import { z } from "zod";
import { ACTIONS, EFFECT_GUARANTEES, NODE_STATUSES, ROUND_ENDS } from "../core/event/index.ts";
import { type Answered, count, json, jsonObject, micros, moment } from "./field.ts";

const turnVerdictSchema = z.object({
  disposition: z.enum(["allow", "deny", "hold"]),
  gate: z.string().nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable().describe("Reason that the model receives in place of a result"),
  verdictId: z
    .string()
    .nullable()
    .describe("Id of the verdict; null when a person decided, or the decision was made in another run"),
});

const turnCallSchema = z.object({
  callId: z.string(),
  tool: z.string(),
  server: z.string().nullable(),
  args: jsonObject.describe("Args of the call. A value above 64 KiB is {$ref, bytes, sha256, preview}"),
  askedArgs: jsonObject
    .nullable()
    .describe("Args requested by the model, when a person has changed them; otherwise null"),
  action: z.enum(ACTIONS).nullable().describe("Action of the call; null when it has not been judged"),
  effects: z.enum(EFFECT_GUARANTEES).nullable(),
  verdict: turnVerdictSchema.nullable().describe("Last verdict; null when the call has not been judged"),
  approvalId: z.string().nullable().describe("Approval that the call waits for, or last waited for"),
  isUnknown: z.boolean().describe("Whether the call may have been made without a report. A person then decides"),
  result: z
    .object({
      value: json.describe("Result of the call. A value above 64 KiB is {$ref, bytes, sha256, preview}"),
      isError: z.boolean(),
      durationMs: z.number(),
      by: z.string().nullable().describe("Person who entered the result; null when the tool returned it"),
      at: moment,
    })
    .nullable()
    .describe("Result of the call; null when it has not been made or has not reported"),
});

export const turnSchema = z.object({
  runId: z.string(),
  nodeId: z.string(),
  status: z.enum(NODE_STATUSES),
  costMicros: micros.describe("Cost of all rounds, in millionths of a US dollar"),
  rounds: z.array(
    z.object({
      round: count,
      attempt: count.nullable(),
      segment: count,
      at: moment.nullable().describe("Time of the report; null when the adapter has not reported the round yet"),
      model: z.string().nullable(),
      finish: z.enum(ROUND_ENDS).nullable(),
      text: z.string().describe("Text of the model"),
      inputTokens: count,
      outputTokens: count,
      costMicros: micros.describe(
        "Cost in millionths of a US dollar. 0 for a round carried over from another run, which paid for it",
      ),
      isCarried: z.boolean().describe("Whether the round was carried over from the run this one was branched from"),
      by: z.string().nullable().describe("Person who changed the text; null when it is the model's"),
      calls: z.array(turnCallSchema),
    }),
  ),
});
export type TurnView = Answered<typeof turnSchema>;
