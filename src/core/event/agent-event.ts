import { z } from "zod";
import { count, json, jsonObject, onNode } from "./payload.ts";
import { ACTIONS, EFFECT_GUARANTEES } from "./status.ts";

/** Set on an event carried over from the run this one was branched from, where its cost was paid. */
const carried = z.literal(true).optional();
const onCall = { ...onNode, callId: z.string(), carried };

/** Reasons why a model stopped: it requests tools, is done, was cut off, refused, or anything else. */
export const ROUND_ENDS = ["tool_calls", "stop", "length", "refusal", "other"] as const;
export type RoundEnd = (typeof ROUND_ENDS)[number];

/** A tool call as the model requests it, before it is judged. */
export const askedCallSchema = z.object({
  tool: z.string(),
  /** The tool server. Absent when the tool belongs to none. */
  server: z.string().optional(),
  args: jsonObject,
  /** JSON Schema of the args, used to check changes to them. */
  schema: jsonObject.optional(),
  /** Hints from the tool's server. They count only when that server is trusted. */
  hints: z.object({ readOnly: z.boolean().optional(), destructive: z.boolean().optional() }).optional(),
});
export type AskedCall = z.infer<typeof askedCallSchema>;
/** The adapter's description of a tool. */
export type ToolDescription = Pick<AskedCall, "schema" | "hints">;

/** The payloads of the events about the turn of an agent: its rounds, and the tool calls of each. */
export const AGENT_PAYLOADS = {
  /** A model has answered. The cost is in the `cost.recorded` event of the same round. */
  "round.completed": z.object({
    ...onNode,
    segment: count,
    round: count,
    model: z.string().nullable(),
    inputTokens: count,
    outputTokens: count,
    costMicros: z.number().int(),
    finish: z.enum(ROUND_ENDS),
    /** The text of the answer. Empty when it contains only calls. */
    text: z.string(),
    /** The complete message, from which the adapter continues. */
    message: json,
    calls: z.array(askedCallSchema),
    carried,
    /** The person who changed the text. Absent when the text is the model's. */
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
    /** For a call that no round contains: the description of the tool that its round would contain. */
    ...askedCallSchema.pick({ schema: true, hints: true }).shape,
    /** Time limit of the call. Absent when only the limit of the attempt applies. */
    timeoutMs: z.number().positive().optional(),
    /** Set when the adapter keeps its process while a person is asked. Absent when it suspends. */
    waits: z.literal(true).optional(),
  }),
  "tool.decided": z.object({
    ...onCall,
    disposition: z.enum(["allow", "deny", "hold"]),
    gate: z.string().optional(),
    code: z.string().optional(),
    /** The text the model receives instead of a result. */
    reason: z.string().optional(),
    /** Time after which the call may be requested again, when a rate denies it. */
    retryAfterMs: z.number().positive().optional(),
    verdictId: z.string().nullable(),
    approvalId: z.string().optional(),
    /** The args as changed by a person. Absent when they are unchanged. */
    args: jsonObject.optional(),
    /** Set when the call may have run without reporting. A person decides about it. */
    isUnknown: z.literal(true).optional(),
    /** Digest of the decided args, when no verdict contains it: a person decided, or these are other args than those of the call. */
    argsDigest: z.string().optional(),
    /** Set when the adapter requested the call with other args. That request is refused, and the ruling on the call stays valid. */
    isOther: z.literal(true).optional(),
  }),
  "tool.completed": z.object({
    ...onCall,
    result: json,
    isError: z.boolean(),
    durationMs: z.number().nonnegative(),
    /** The person who supplied the result: for a call that never reported, or to replace the tool's result in a branch. */
    by: z.string().optional(),
  }),
} as const;
