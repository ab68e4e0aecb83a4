import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import { type AskedCall, askedCallSchema, ROUND_ENDS } from "../core/event/index.ts";

const json: z.ZodType<Json> = z.json();
const jsonObject = z.record(z.string(), json);
const count = z.number().int().nonnegative().max(1_000_000_000_000);
const callId = z.string().min(1).max(1_000);

/** Maximum number of tool calls that a model may request in one round. */
export const CALLS_PER_ROUND_MAX = 128;

/** Report of one model call: its text, its usage, and the requested tool calls in order. */
export const roundReportSchema = z.object({
  /** Counted from 0 over the whole turn, including retries and resumptions. */
  round: count,
  finish: z.enum(ROUND_ENDS),
  /** The text part of the message. */
  text: z.string().optional(),
  /** The whole message, in the form that the adapter needs to continue. */
  message: json,
  calls: z.array(askedCallSchema).max(CALLS_PER_ROUND_MAX).default([]),
  model: z.string().max(200).optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  thinkingTokens: count.optional(),
  cachedTokens: count.optional(),
  costUsd: z.number().nonnegative().max(1_000_000).optional(),
  priceId: z.string().max(400).optional(),
});
export type RoundReport = Omit<z.infer<typeof roundReportSchema>, "calls"> & { calls?: AskedCall[] };

/** The decision whether a call may be made. */
export const callRulingSchema = z.discriminatedUnion("disposition", [
  z.object({
    disposition: z.literal("allow"),
    callId,
    /** The arguments to call with: as the model requested them, or as a person changed them. */
    args: jsonObject,
    /** Time limit of the call. When it passes, the adapter ends the call with an error result. Absent: the attempt's limit applies. */
    timeoutMs: z.number().positive().optional(),
    /** The result of a call that the server has already made. The adapter must not make it again. */
    result: z.object({ result: json, isError: z.boolean() }).optional(),
    /** Text to pass to the model with the result, because a person changed the args. */
    note: z.string().optional(),
  }),
  /** The reason is passed to the model as an error, in place of a result. */
  z.object({
    disposition: z.literal("deny"),
    callId,
    reason: z.string(),
    code: z.string().optional(),
    /** Time after which the call may be requested again. Absent when waiting does not help. */
    retryAfterMs: z.number().positive().optional(),
  }),
  /** A person decides. After the other calls of the round have reported, the adapter ends with `suspended`. */
  z.object({ disposition: z.literal("suspend"), callId }),
]);
export type CallRuling = z.infer<typeof callRulingSchema>;

/** `stop`: the turn is interrupted here. The adapter makes no call and ends with `suspended`. */
export const roundReplySchema = z.discriminatedUnion("next", [
  z.object({ next: z.literal("go"), rulings: z.array(callRulingSchema) }),
  z.object({ next: z.literal("stop"), code: z.string(), reason: z.string() }),
]);
export type RoundReply = z.infer<typeof roundReplySchema>;

/** Request for a ruling on a call that no round report contained, or whose round was stopped before the call was judged. */
export const toolAskSchema = z.object({
  callId,
  ...askedCallSchema.shape,
  /** True when the adapter cannot suspend and waits for the person's answer. */
  waits: z.boolean().default(false),
});
export type ToolAsk = Omit<z.infer<typeof toolAskSchema>, "waits"> & { waits?: boolean };

export const toolReportSchema = z.object({
  callId,
  result: json,
  isError: z.boolean().default(false),
  durationMs: z.number().nonnegative().default(0),
});
export type ToolReport = Omit<z.infer<typeof toolReportSchema>, "isError" | "durationMs"> & {
  isError?: boolean;
  durationMs?: number;
};

/** The history of an attempt, or of the attempts before it, sent when it is dispatched again, so that the adapter continues from there. */
export const resumeSchema = z.object({
  rounds: z.array(
    z.object({
      message: json,
      calls: z.array(
        z.object({
          callId,
          ...askedCallSchema.pick({ tool: true, server: true, args: true }).shape,
          /** Absent when the call was not judged; the adapter must then request a ruling. */
          ruling: callRulingSchema.optional(),
        }),
      ),
    }),
  ),
  /** Results by call id. An allowed call without a result is made now, with its call id as idempotency key. */
  results: z.record(z.string(), z.object({ result: json, isError: z.boolean() })),
  /** The transcript that the adapter returned when it suspended. */
  transcript: json.optional(),
});
export type Resume = z.infer<typeof resumeSchema>;

/**
 * Hooks with which an adapter reports a turn and requests rulings. Each promise resolves after the report is stored,
 * and the adapter does nothing before that. All reject when the attempt is over for the engine; the adapter then ends.
 */
export interface TurnHooks {
  /** Called after every model call, including the last one, and before any of its tool calls. */
  readonly round: (report: RoundReport) => Promise<RoundReply>;
  /** Called before a call that no reply has ruled on. */
  readonly tool: (call: ToolAsk) => Promise<CallRuling>;
  /** Called after every call that was made, before the next model call. */
  readonly toolResult: (report: ToolReport) => Promise<void>;
}

/** `opaque`: the calls inside are not visible. `judged`: every call needs a ruling. `durable`: also, a turn continues after a loss. */
export const TURN_SUPPORT = ["opaque", "judged", "durable"] as const;
export type TurnSupport = (typeof TURN_SUPPORT)[number];

/** Returns the id of the call at this position of a round. `idempotencyKey` is the one of the request. */
export function toolCallId(idempotencyKey: string, round: number, position: number): string {
  return `${idempotencyKey}/${round}/${position}`;
}
