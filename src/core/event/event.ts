import { z } from "zod";
import { AGENT_PAYLOADS } from "./agent-event.ts";
import { APPROVAL_PAYLOADS } from "./approval-event.ts";
import { CHILD_PAYLOADS } from "./child-event.ts";
import { COST_PAYLOADS } from "./cost-event.ts";
import { PAUSE_PAYLOADS } from "./pause-event.ts";
import { at, count, json, jsonObject, micros, onNode } from "./payload.ts";
import { countsSchema, envelopeSchema, snapshotSchema } from "./payload-parts.ts";
import { START_PAYLOADS } from "./start-event.ts";
import { ENDING_STATUSES, RUN_STATUSES, SKIP_REASONS, WAITING_REASONS } from "./status.ts";

export * from "./payload-parts.ts";

const runEnd = {
  counts: countsSchema,
  costMicros: micros,
  errorCode: z.string().optional(),
  reason: z.string().optional(),
  /** Path of the block whose run ended. Absent for the run of a whole file. */
  block: z.string().optional(),
};
const contractError = z.object({ field: z.string(), reason: z.string(), details: z.string().optional() });

/**
 * Every event a run can write, with its payload. This list is the source of types, schemas, docs and labels;
 * the log that `apply` folds is the log that clients see.
 */
export const EVENT_PAYLOADS = {
  ...START_PAYLOADS,
  "run.status.changed": z.object({
    from: z.enum(RUN_STATUSES),
    to: z.enum(RUN_STATUSES),
    epoch: count,
    /** `rewind` or `recover` when a run is reopened. In older logs also `cancelling`, `timing_out`, `halting`. */
    reason: z.string().optional(),
    detail: z.string().optional(),
    /** Only in older logs, with `halting`. */
    errorCode: z.string().optional(),
  }),
  "run.ending": z.object({
    as: z.enum(ENDING_STATUSES),
    reason: z.string(),
    errorCode: z.string().optional(),
    /** The node whose failure ends the run. */
    failedNode: z.string().optional(),
    /** Set when a step of a block ends the run that contains the block. */
    isOfOwner: z.literal(true).optional(),
  }),
  /** All nodes have settled and the outcome is known. The `finally` block has begun. */
  "run.finally": z.object({
    childRunId: z.string(),
    as: z.enum(ENDING_STATUSES),
    reason: z.string().optional(),
    errorCode: z.string().optional(),
    errorMessage: z.string().optional(),
    outputs: jsonObject.optional(),
  }),
  "run.finally.ended": z.object({
    childRunId: z.string(),
    status: z.enum(RUN_STATUSES),
    errorCode: z.string().optional(),
    errorMessage: z.string().optional(),
  }),
  ...PAUSE_PAYLOADS,
  "run.rewound": z.object({ toEventId: count, epoch: count }),
  "run.completed": z.object({
    ...runEnd,
    /** The outputs named by the document. Absent when it names none; its last nodes then hold the result. */
    outputs: jsonObject.optional(),
  }),
  "run.failed": z.object({ ...runEnd, snapshot: snapshotSchema.optional() }),
  "run.cancelled": z.object(runEnd),
  "run.timed_out": z.object(runEnd),
  "run.recovered": z.object(runEnd),
  "node.queued": z.object({
    ...onNode,
    waitingReason: z.enum(WAITING_REASONS),
    until: at.optional(),
    queuePosition: count.optional(),
    /** For a step with `join`: the parents that counted. The step reads any other parent as skipped. */
    counted: z.array(z.string()).optional(),
    /** Set when this execution of the attempt was lost. The next one continues it. */
    segment: count.optional(),
  }),
  "node.waiting": z.object({
    ...onNode,
    waitingReason: z.enum(WAITING_REASONS),
    until: at.optional(),
    /** Set when the wait has no limit: at `until` the gates are checked again instead of failing the node. */
    isPatient: z.literal(true).optional(),
    queuePosition: count.optional(),
    code: z.string().optional(),
  }),
  "node.expanded": z.object({
    ...onNode,
    count,
    instanceIds: z.array(z.string()),
    /** The list itself. Instances are bound to it, whatever earlier nodes do later. */
    items: z.array(json),
    /** Set when the instances are rounds. More rounds may follow. */
    isRepeated: z.literal(true).optional(),
  }),
  /** Begins the next round of a repeated node. */
  "node.round": z.object({ ...onNode, round: count, instanceId: z.string() }),
  "node.started": z.object({
    ...onNode,
    wave: count,
    agentId: z.string().nullable(),
    gatewayId: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    verdictId: z.string().nullable(),
    executionPath: z.enum(["edge", "sync", "async"]).nullable(),
    deadlineAt: at.optional(),
    /** Set when the registration of the call allows it only once. Absent when the step decides. */
    effects: z.literal("at_most_once").optional(),
    /** The gateway the run is pinned to, which was gone. Only with `gateway: any` in the workflow. */
    reroutedFrom: z.string().optional(),
    instructions: z.array(z.object({ layer: count, source: z.string(), text: z.string() })).optional(),
    /** Maximum tokens of an answer, so that it costs no more than was reserved. Absent when nothing limits it. */
    maxOutputTokens: count.optional(),
    /** Set when a paused attempt continues. Absent when the attempt begins. */
    segment: count.optional(),
  }),
  "node.stream.delta": z.object({ ...onNode, deltaIndex: count, text: z.string().optional(), media: json.optional() }),
  "node.log": z.object({
    ...onNode,
    level: z.enum(["debug", "info", "warning", "error"]),
    message: z.string(),
    detail: json.optional(),
  }),
  "node.retried": z.object({
    ...onNode,
    cause: z.string(),
    delayMs: z.number().nonnegative(),
    nextAttempt: count,
    errorCode: z.string(),
    errorMessage: z.string(),
    until: at,
    /** The team member that takes over the node. */
    assignTo: z.string().optional(),
    /** The model that takes over. */
    model: z.string().optional(),
  }),
  "node.completed": z.object({
    ...onNode,
    envelope: envelopeSchema,
    outputs: jsonObject,
    durationMs: z.number().nonnegative(),
    inputTokens: count,
    outputTokens: count,
    costMicros: micros,
    /** Credits charged for the answer under a plan that charges in credits. Charged once, for the attempt that answered. */
    creditsCharged: z.number().nonnegative().optional(),
    carried: z.boolean().optional(),
    /** With `carried`: the person who replaced the outputs. */
    by: z.string().optional(),
    /** With `carried`: the parents that counted for a step with `join`. */
    counted: z.array(z.string()).optional(),
  }),
  /** A failure no longer fails the run: its handler has completed, or a step with `join` does not need the node. */
  "node.handled": z.object({ ...onNode, by: z.string() }),
  "node.failed": z.object({ ...onNode, errorCode: z.string(), errorMessage: z.string(), retryable: z.boolean() }),
  "node.timed_out": z.object({
    ...onNode,
    errorCode: z.string(),
    errorMessage: z.string(),
    retryable: z.boolean(),
    timeoutMs: count,
  }),
  "node.cancelled": z.object({ ...onNode, reason: z.string() }),
  "node.skipped": z.object({
    ...onNode,
    reason: z.enum(SKIP_REASONS),
    carried: z.boolean().optional(),
    counted: z.array(z.string()).optional(),
    errorCode: z.string().optional(),
    errorMessage: z.string().optional(),
  }),
  "node.blocked": z.object({
    ...onNode,
    waitingReason: z.enum(WAITING_REASONS),
    approvalId: z.string().optional(),
    /** The event the node waits for. */
    event: z.object({ type: z.string(), key: jsonObject }).optional(),
    /** When the node continues or its wait times out. */
    until: at.optional(),
    missing: z.array(z.string()).optional(),
    code: z.string().optional(),
    /** Set when this execution has ended and the attempt continues with the next one. */
    segment: count.optional(),
    /** Data the adapter needs for continuing, in addition to the rounds. */
    transcript: json.optional(),
    /** A node held by an escalation keeps its error. */
    errorCode: z.string().optional(),
    errorMessage: z.string().optional(),
  }),
  "node.invalidated": z.object({ ...onNode, reason: z.string() }),
  "node.provenance": z.object({
    ...onNode,
    sourceRunId: z.string(),
    sourceNodeId: z.string().nullable(),
    sourceOutputPath: z.string(),
    targetInputPath: z.string(),
    transform: z.string().optional(),
  }),
  "gate.decided": z.object({
    ...onNode,
    disposition: z.enum(["allow", "block", "hold"]),
    gate: z.string().optional(),
    code: z.string().optional(),
    verdictId: z.string().nullable(),
  }),
  "moderation.flagged": z.object({ ...onNode, phase: z.enum(["input", "output"]), decision: json }),
  "contract.violated": z.object({
    ...onNode,
    phase: z.enum(["input", "output", "criteria", "instructions"]),
    errors: z.array(contractError),
  }),
  ...APPROVAL_PAYLOADS,
  ...AGENT_PAYLOADS,
  "event.received": z.object({ ...onNode, id: z.string(), type: z.string() }),
  "event.emitted": z.object({ ...onNode, id: z.string(), type: z.string(), key: jsonObject, data: json }),
  ...COST_PAYLOADS,
  ...CHILD_PAYLOADS,
} as const;

export type EventType = keyof typeof EVENT_PAYLOADS;
export const EVENT_TYPES = Object.keys(EVENT_PAYLOADS) as readonly EventType[];
export type EventPayload<T extends EventType> = z.infer<(typeof EVENT_PAYLOADS)[T]>;

/** An event of one run. `eventId` is counted from the state: 1, 2, 3, … without gaps. */
export type RunEvent = {
  [T in EventType]: {
    readonly eventId: number;
    readonly at: number;
    readonly type: T;
    readonly payload: EventPayload<T>;
  };
}[EventType];

export type EventOf<T extends EventType> = Extract<RunEvent, { readonly type: T }>;

export type ApprovalEvent = Extract<RunEvent, { readonly type: `approval.${string}` }>;

export function isApprovalEvent(event: RunEvent): event is ApprovalEvent {
  return event.type.startsWith("approval.");
}
