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
  /** Path of the block of the file that ended; absent: the run of a file did. */
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
    /** `rewind`, `recover` when it is opened again; in older logs also `cancelling`, `timing_out`, `halting`. */
    reason: z.string().optional(),
    detail: z.string().optional(),
    /** Only in older logs, with `halting`. */
    errorCode: z.string().optional(),
  }),
  "run.ending": z.object({
    as: z.enum(ENDING_STATUSES),
    reason: z.string(),
    errorCode: z.string().optional(),
    /** The node whose failure ends it. */
    failedNode: z.string().optional(),
    /** A step of a block ends the run the block belongs to. */
    isOfOwner: z.literal(true).optional(),
  }),
  /** Everything has settled, and how the run ends is known; what comes last has begun. */
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
    /** What the document names as outputs; absent: it names none, and its leaves say what came of it. */
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
    /** The parents that were enough for a step with `join`; to it, any other reads as skipped. */
    counted: z.array(z.string()).optional(),
    /** This execution of the attempt was lost; the next one continues it. */
    segment: count.optional(),
  }),
  "node.waiting": z.object({
    ...onNode,
    waitingReason: z.enum(WAITING_REASONS),
    until: at.optional(),
    /** It waits as long as it takes: at `until` it asks again instead of failing. */
    isPatient: z.literal(true).optional(),
    queuePosition: count.optional(),
    code: z.string().optional(),
  }),
  "node.expanded": z.object({
    ...onNode,
    count,
    instanceIds: z.array(z.string()),
    /** The list itself: instances bind to it, whatever upstream does later. */
    items: z.array(json),
    /** The instances are rounds, of which more may follow. */
    isRepeated: z.literal(true).optional(),
  }),
  /** The next round of a repeated node. */
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
    /** What is registered about the call allows it once only; absent: as the step says. */
    effects: z.literal("at_most_once").optional(),
    /** The gateway the run is pinned to, which was gone; the workflow says `gateway: any`. */
    reroutedFrom: z.string().optional(),
    instructions: z.array(z.object({ layer: count, source: z.string(), text: z.string() })).optional(),
    /** The attempt was begun before and continues; absent: it begins. */
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
    /** Another member of the team has it from here on. */
    assignTo: z.string().optional(),
    /** Another model is asked from here on. */
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
    /** What the answer is charged, where a plan charges in credits: once, by the attempt that gave it. */
    creditsCharged: z.number().nonnegative().optional(),
    carried: z.boolean().optional(),
    /** Carried with it: the person who gave the outputs in place of those it had. */
    by: z.string().optional(),
    /** Carried with it: the parents that were enough for a step with `join`. */
    counted: z.array(z.string()).optional(),
  }),
  /** A failure no longer fails the run: its handler has completed, or a step with `join` does without it. */
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
    /** The event it waits for. */
    event: z.object({ type: z.string(), key: jsonObject }).optional(),
    /** When it continues, or has waited long enough. */
    until: at.optional(),
    missing: z.array(z.string()).optional(),
    code: z.string().optional(),
    /** This execution of the attempt has ended; the attempt continues with the next one. */
    segment: count.optional(),
    /** What the adapter needs besides the rounds to continue. */
    transcript: json.optional(),
    /** A node held by an escalation keeps what it failed with. */
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

/** A fact of one run. `eventId` is counted from state: 1, 2, 3, … without gaps. */
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
