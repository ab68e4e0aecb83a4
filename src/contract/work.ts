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
  protocol: z.number().int().default(WORK_PROTOCOL).describe("Version of the worker protocol"),
  workerId: word.describe("Id of the worker process, made at its start"),
  functions: z.array(word).min(1).max(FUNCTIONS_MAX).describe("Names of the functions that the worker can run"),
};
const dispatchId = z.string().min(1).max(DISPATCH_ID_LENGTH_MAX);

export const claimBody = z.strictObject({
  ...worker,
  limit: z.number().int().min(1).max(WORK_MAX).default(1).describe("Maximum number of work items to claim"),
  waitMs: z
    .number()
    .int()
    .min(0)
    .max(POLL_MS_MAX)
    .default(POLL_MS_MAX)
    .describe("Time in milliseconds to wait for work"),
});

/** A dispatch in the same form as for a Bridge, with the function to run. */
export const workSchema = z
  .object({
    dispatchId: z.string(),
    function: z.string(),
    runId: z.string(),
    stepId: z.string().describe("Id of the node"),
    attempt: z.number().int(),
    idempotencyKey: z.string().describe("Key that is the same for every attempt of the node"),
    inputs: jsonObject,
    timeoutMs: z.number().nullable(),
    effects: z.string(),
  })
  .catchall(z.unknown());

export const claimReply = z.object({
  work: z.array(workSchema),
  cancelled: z.array(z.string()).describe("Dispatches of this worker whose results are no longer needed"),
});

export const heartbeatBody = z.strictObject({
  ...worker,
  held: z.array(dispatchId).max(10_000).describe("Dispatches the worker is running"),
  leaving: z
    .boolean()
    .default(false)
    .describe(
      "The worker claims no more work and has started only the work in `held`. Other work is passed to other workers",
    ),
});
export const heartbeatReply = z.object({
  lost: z.array(z.string()).describe("Dispatches in `held` that the worker no longer holds"),
});

const thrown = z.strictObject({
  message: z.string().max(ERROR_LENGTH_MAX),
  class: z.string().max(200).optional().describe("Class of the error that was thrown, such as TypeError"),
  stack: z
    .string()
    .max(ERROR_LENGTH_MAX)
    .optional()
    .describe("Stack trace. Stored with the attempt and never sent to a model"),
  retryable: z.boolean().default(true).describe("`false` when another attempt would fail in the same way"),
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
        .describe(
          "discarded: the attempt has ended otherwise, or another worker holds it. unknown: there is no such dispatch",
        ),
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
