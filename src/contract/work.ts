/** The protocol between workers and the server: claiming, holding and completing work. */
import { z } from "zod";
import { type Answered, type Asked, jsonObject, moment, word } from "./field.ts";

/** The protocol number. It changes when older workers would behave wrongly. */
export const WORK_PROTOCOL = 1;

export const POLL_MS_MAX = 25_000;
const FUNCTIONS_MAX = 500;
const WORK_MAX = 500;
const DISPATCH_ID_LENGTH_MAX = 1_000;
const ERROR_LENGTH_MAX = 65_536;
const LOGS_MAX = 10_000;

const worker = {
  protocol: z.number().int().default(WORK_PROTOCOL).describe("Which protocol the worker speaks"),
  workerId: word.describe("Made by the worker when it starts; another process has another"),
  functions: z.array(word).min(1).max(FUNCTIONS_MAX).describe("What it can run"),
};
const dispatchId = z.string().min(1).max(DISPATCH_ID_LENGTH_MAX);

export const claimBody = z.strictObject({
  ...worker,
  limit: z.number().int().min(1).max(WORK_MAX).default(1).describe("How much it takes at most"),
  waitMs: z.number().int().min(0).max(POLL_MS_MAX).default(POLL_MS_MAX).describe("How long it waits for some"),
});

/** A dispatch in the same form as for a Bridge, with the function to run. */
export const workSchema = z
  .object({
    dispatchId: z.string(),
    function: z.string(),
    runId: z.string(),
    stepId: z.string().describe("The node"),
    attempt: z.number().int(),
    idempotencyKey: z.string().describe("The same for every attempt of the node"),
    inputs: jsonObject,
    timeoutMs: z.number().nullable(),
    effects: z.string(),
  })
  .catchall(z.unknown());

export const claimReply = z.object({
  work: z.array(workSchema),
  cancelled: z.array(z.string()).describe("Dispatches of this worker whose results are not wanted any more"),
});

export const heartbeatBody = z.strictObject({
  ...worker,
  held: z.array(dispatchId).max(10_000).describe("Dispatches it is working on"),
  leaving: z
    .boolean()
    .default(false)
    .describe("It asks for nothing more, and has begun nothing but what it holds: the rest is given to others"),
});
export const heartbeatReply = z.object({
  lost: z.array(z.string()).describe("Of those it holds, what is not its own any more"),
});

const thrown = z.strictObject({
  message: z.string().max(ERROR_LENGTH_MAX),
  class: z.string().max(200).optional().describe("Of what was thrown, such as TypeError"),
  stack: z.string().max(ERROR_LENGTH_MAX).optional().describe("Kept with the attempt; never shown to a model"),
  retryable: z.boolean().default(true).describe("False: the same would happen again"),
});

const workLog = z.strictObject({
  level: z.enum(["debug", "info", "warning", "error"]),
  message: z.string().max(ERROR_LENGTH_MAX),
  at: moment.optional(),
});

const resultSchema = z.strictObject({
  dispatchId,
  status: z.enum(["completed", "failed", "timed_out", "cancelled"]),
  outputs: jsonObject.optional(),
  error: thrown.optional(),
  logs: z.array(workLog).max(LOGS_MAX).optional(),
  startedAt: moment,
  completedAt: moment,
});
export type WorkResult = z.output<typeof resultSchema>;

export const completeBody = z.strictObject({
  protocol: worker.protocol,
  workerId: worker.workerId,
  results: z.array(resultSchema).min(1).max(WORK_MAX),
});

export const completeReply = z.object({
  results: z.array(
    z.object({
      dispatchId: z.string(),
      outcome: z
        .enum(["received", "deduplicated", "discarded", "unknown"])
        .describe("discarded: the attempt has ended otherwise, or another worker has it; unknown: there is none"),
    }),
  ),
});

export type ClaimRequest = Asked<typeof claimBody>;
export type GivenWork = Answered<typeof workSchema>;
export type ClaimReply = Answered<typeof claimReply>;
export type HeartbeatRequest = Asked<typeof heartbeatBody>;
export type HeartbeatReply = Answered<typeof heartbeatReply>;
export type CompleteRequest = Asked<typeof completeBody>;
export type SentResult = CompleteRequest["results"][number];
export type CompleteReply = Answered<typeof completeReply>;
