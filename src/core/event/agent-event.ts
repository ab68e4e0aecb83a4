import { z } from "zod";
import { count, json, jsonObject, onNode } from "./payload.ts";
import { ACTIONS, EFFECT_GUARANTEES } from "./status.ts";

/** It was done in the run this one was branched from, and paid for there. */
const carried = z.literal(true).optional();
const onCall = { ...onNode, callId: z.string(), carried };

/** Why a model stopped: it wants tools, it is done, its answer was cut off, it refused, or anything else. */
export const ROUND_ENDS = ["tool_calls", "stop", "length", "refusal", "other"] as const;
export type RoundEnd = (typeof ROUND_ENDS)[number];

/** A tool call as the model wants it, before it is judged. */
export const askedCallSchema = z.object({
  tool: z.string(),
  /** The tool server; absent: the tool belongs to none. */
  server: z.string().optional(),
  args: jsonObject,
  /** JSON Schema of the args, so that changes of them can be checked. */
  schema: jsonObject.optional(),
  /** What the tool's server says of it; counts only where that server is trusted. */
  hints: z.object({ readOnly: z.boolean().optional(), destructive: z.boolean().optional() }).optional(),
});
export type AskedCall = z.infer<typeof askedCallSchema>;
/** What the adapter knows of a tool. */
export type ToolDescription = Pick<AskedCall, "schema" | "hints">;

/** The payloads of the events about the turn of an agent: its rounds, and the tool calls of each. */
export const AGENT_PAYLOADS = {
  /** A model has answered. What it cost is in the `cost.recorded` of the same round. */
  "round.completed": z.object({
    ...onNode,
    segment: count,
    round: count,
    model: z.string().nullable(),
    inputTokens: count,
    outputTokens: count,
    costMicros: z.number().int(),
    finish: z.enum(ROUND_ENDS),
    /** What it said in words; empty: nothing but calls. */
    text: z.string(),
    /** Its whole message, as the adapter continues from it. */
    message: json,
    calls: z.array(askedCallSchema),
    carried,
    /** The person who has changed its words; absent: they are the model's. */
    by: z.string().optional(),
  }),
  "tool.requested": z.object({
    ...onCall,
    round: count,
    tool: z.string(),
    server: z.string().optional(),
    args: jsonObject,
    argsDigest: z.string(),
    action: z.enum(ACTIONS),
    effects: z.enum(EFFECT_GUARANTEES),
    /** Of a call that no round has named: what its round would say of the tool. */
    ...askedCallSchema.pick({ schema: true, hints: true }).shape,
    /** How long the call may take; absent: as long as the attempt. */
    timeoutMs: z.number().positive().optional(),
    /** The adapter keeps its process while a person is asked; absent: it suspends. */
    waits: z.literal(true).optional(),
  }),
  "tool.decided": z.object({
    ...onCall,
    disposition: z.enum(["allow", "deny", "hold"]),
    gate: z.string().optional(),
    code: z.string().optional(),
    /** What the model is given in place of a result. */
    reason: z.string().optional(),
    verdictId: z.string().nullable(),
    approvalId: z.string().optional(),
    /** What a person has made of the args; absent: as they were asked for. */
    args: jsonObject.optional(),
    /** It may have run and never reported; a person says what to do. */
    isUnknown: z.literal(true).optional(),
    /** Of the args it is about, where no verdict says it: a person has decided, or it is about others than the call's. */
    argsDigest: z.string().optional(),
    /** The adapter asked about the call with other args: that is refused, and what was decided about the call stands. */
    isOther: z.literal(true).optional(),
  }),
  "tool.completed": z.object({
    ...onCall,
    result: json,
    isError: z.boolean(),
    durationMs: z.number().nonnegative(),
    /** A person gave the result: of a call that never reported, or in place of the tool's when the run was branched. */
    by: z.string().optional(),
  }),
} as const;
