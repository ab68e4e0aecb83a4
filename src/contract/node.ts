/** The details of a node, attempt by attempt, and the conversations of agents. */
import { z } from "zod";
import { NODE_STATUSES } from "../core/event/index.ts";
import { type Answered, count, json, jsonObject, micros, moment } from "./field.ts";
import { nodeResultSchema } from "./run-state.ts";
import { decidedSchema } from "./verdict.ts";

const attemptSchema = z.object({
  attempt: count,
  status: z.enum(NODE_STATUSES),
  startedAt: moment.nullable(),
  endedAt: moment.nullable(),
  durationMs: z.number().nullable(),
  verdictId: z.string().nullable(),
  route: z.object({
    agentId: z.string().nullable(),
    gatewayId: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    executionPath: z.string().nullable(),
  }),
  /** The content of the dispatch. Bound and rendered again from the log up to the start of the attempt. */
  request: z.object({ message: z.string(), stdin: z.string().nullable(), inputs: jsonObject }).nullable(),
  /** The instructions, layer by layer. The prompt of the step is layer 6, instructions from callers are layer 8. */
  instructions: z.array(z.object({ layer: count, source: z.string(), text: z.string() })),
  outputs: jsonObject.nullable(),
  output: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  costMicros: micros,
  inputTokens: count,
  outputTokens: count,
  streamedText: z.string(),
  logs: z.array(z.object({ eventId: count, level: z.string(), message: z.string(), detail: json.optional() })),
  /** The log lines and the conversation of the adapter. Filled in when the attempt has reported. */
  adapterLogs: z.array(jsonObject),
  sessionId: z.string().nullable(),
  conversation: z.array(jsonObject),
});

export const nodeDetailSchema = z.object({
  runId: z.string(),
  node: nodeResultSchema,
  /** The content of the newest dispatch. Bound and rendered again from the log up to the start of the attempt. */
  request: z
    .object({ attempt: count, message: z.string(), stdin: z.string().nullable(), inputs: jsonObject })
    .nullable(),
  promptBy: z.string().nullable().describe("Person who wrote the prompt in place of the step; null when the step did"),
  resultBy: z
    .string()
    .nullable()
    .describe("Person who entered the result in place of the original one; null when it is the original one"),
  attempts: z.array(attemptSchema),
  verdicts: z.array(decidedSchema),
  inputs: z.array(
    z.object({
      sourceRunId: z.string(),
      sourceNodeId: z.string().nullable(),
      sourceOutputPath: z.string(),
      targetInputPath: z.string(),
      transform: z.string().optional(),
    }),
  ),
});
export type NodeDetail = Answered<typeof nodeDetailSchema>;

export const threadSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  attempts: z.array(
    z.object({ runId: z.string(), nodeId: z.string(), attempt: count, at: moment, messages: z.array(jsonObject) }),
  ),
});
export type Thread = Answered<typeof threadSchema>;
