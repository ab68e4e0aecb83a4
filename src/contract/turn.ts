/** The turn of an agent: its rounds, and the outcome of each tool call. */
import { z } from "zod";
import { ACTIONS, EFFECT_GUARANTEES, NODE_STATUSES, ROUND_ENDS } from "../core/event/index.ts";
import { type Answered, count, json, jsonObject, micros, moment } from "./field.ts";

const turnVerdictSchema = z.object({
  disposition: z.enum(["allow", "deny", "hold"]),
  gate: z.string().nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable().describe("What the model is given in place of a result"),
  verdictId: z.string().nullable().describe("Null: a person decided, or it was decided in another run"),
});

const turnCallSchema = z.object({
  callId: z.string(),
  tool: z.string(),
  server: z.string().nullable(),
  args: jsonObject.describe("As it is made; a value above 64 KiB is {$ref, bytes, sha256, preview}"),
  askedArgs: jsonObject.nullable().describe("What the model asked for, where a person has changed it"),
  action: z.enum(ACTIONS).nullable().describe("Null: it has not been judged"),
  effects: z.enum(EFFECT_GUARANTEES).nullable(),
  verdict: turnVerdictSchema.nullable().describe("The last one; null: it has not been judged"),
  approvalId: z.string().nullable().describe("The approval that asks, or asked last"),
  isUnknown: z.boolean().describe("It may have been made and never reported; a person is asked"),
  result: z
    .object({
      value: json.describe("A value above 64 KiB is {$ref, bytes, sha256, preview}"),
      isError: z.boolean(),
      durationMs: z.number(),
      by: z.string().nullable().describe("The person who gave it; null: the tool did"),
      at: moment,
    })
    .nullable()
    .describe("Null: it has not been made, or has not reported"),
});

export const turnSchema = z.object({
  runId: z.string(),
  nodeId: z.string(),
  status: z.enum(NODE_STATUSES),
  costMicros: micros.describe("Of all rounds"),
  rounds: z.array(
    z.object({
      round: count,
      attempt: count.nullable(),
      segment: count,
      at: moment.nullable().describe("Null: the adapter has not reported it yet"),
      model: z.string().nullable(),
      finish: z.enum(ROUND_ENDS).nullable(),
      text: z.string().describe("What the model said in words"),
      inputTokens: count,
      outputTokens: count,
      costMicros: micros.describe("0 for a round that was carried over: the run it comes from has paid it"),
      isCarried: z.boolean().describe("It was done in the run this one was branched from"),
      by: z.string().nullable().describe("The person who has changed its words; null: they are the model's"),
      calls: z.array(turnCallSchema),
    }),
  ),
});
export type TurnView = Answered<typeof turnSchema>;
