import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import { type AskedCall, askedCallSchema, ROUND_ENDS } from "../core/event/index.ts";

const json: z.ZodType<Json> = z.json();
const jsonObject = z.record(z.string(), json);
const count = z.number().int().nonnegative().max(1_000_000_000_000);
const callId = z.string().min(1).max(1_000);

/** Calls a model may ask for in one round. */
export const CALLS_PER_ROUND_MAX = 128;

/** One model call: what it said, what it used, and the tool calls it asks for, in their order. */
export const roundReportSchema = z.object({
  /** Counted from 0 over the whole turn, retries and resumptions included. */
  round: count,
  finish: z.enum(ROUND_ENDS),
  /** What it said in words. */
  text: z.string().optional(),
  /** The whole message, as the adapter needs it to continue. */
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

/** Whether a call may be made. */
export const callRulingSchema = z.discriminatedUnion("disposition", [
  z.object({
    disposition: z.literal("allow"),
    callId,
    /** What to call with: as asked for, or as a person has changed them. */
    args: jsonObject,
    /** How long the call may take; then the adapter ends it, and its result is an error. Absent: as long as the attempt. */
    timeoutMs: z.number().positive().optional(),
    /** What came of it: the server has made the call, and it is not to be made again. */
    result: z.object({ result: json, isError: z.boolean() }).optional(),
    /** To be given to the model with the result: a person has changed the args. */
    note: z.string().optional(),
  }),
  /** To be given to the model in place of a result, as an error. */
  z.object({ disposition: z.literal("deny"), callId, reason: z.string(), code: z.string().optional() }),
  /** A person decides. Once the other calls of the round have reported, the adapter ends with `suspended`. */
  z.object({ disposition: z.literal("suspend"), callId }),
]);
export type CallRuling = z.infer<typeof callRulingSchema>;

/** `stop`: the turn ends here for now. No call is made, and the adapter ends with `suspended`. */
export const roundReplySchema = z.discriminatedUnion("next", [
  z.object({ next: z.literal("go"), rulings: z.array(callRulingSchema) }),
  z.object({ next: z.literal("stop"), code: z.string(), reason: z.string() }),
]);
export type RoundReply = z.infer<typeof roundReplySchema>;

/** A call that no round has named, or whose round was stopped before it was judged. */
export const toolAskSchema = z.object({
  callId,
  ...askedCallSchema.shape,
  /** True: the adapter cannot suspend, and waits for the person who is asked. */
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

/** What happened in an attempt, or the attempts before it, when it is dispatched again: it continues from there. */
export const resumeSchema = z.object({
  rounds: z.array(
    z.object({
      message: json,
      calls: z.array(
        z.object({
          callId,
          ...askedCallSchema.pick({ tool: true, server: true, args: true }).shape,
          /** Absent: it was not judged, and is to be asked about. */
          ruling: callRulingSchema.optional(),
        }),
      ),
    }),
  ),
  /** By call id. A call that is allowed and has none is made, under its call id as idempotency key. */
  results: z.record(z.string(), z.object({ result: json, isError: z.boolean() })),
  /** What the adapter gave back when it suspended. */
  transcript: json.optional(),
});
export type Resume = z.infer<typeof resumeSchema>;

/**
 * How an adapter with turns reports and asks. Each resolves once it is kept: nothing is done before. All reject when the
 * attempt is over for the engine; the adapter then ends.
 */
export interface TurnHooks {
  /** After every model call, the last one included, and before any of its tool calls. */
  readonly round: (report: RoundReport) => Promise<RoundReply>;
  /** Before a call that no reply has ruled on. */
  readonly tool: (call: ToolAsk) => Promise<CallRuling>;
  /** After every call that was made, before the next model call. */
  readonly toolResult: (report: ToolReport) => Promise<void>;
}

/** `opaque`: nothing of what happens inside is seen. `judged`: every call is asked about. `durable`: and a turn continues after a loss. */
export const TURN_SUPPORT = ["opaque", "judged", "durable"] as const;
export type TurnSupport = (typeof TURN_SUPPORT)[number];

/** Of the call at this position of a round. `idempotencyKey`: that of the request. */
export function toolCallId(idempotencyKey: string, round: number, position: number): string {
  return `${idempotencyKey}/${round}/${position}`;
}
