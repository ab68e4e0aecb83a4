/** The recorded data of a run: its state, its events, its checkpoints. */
import { z } from "zod";
import { EVENT_TYPES, NODE_STATUSES, RUN_STATUSES, WAITING_FOR, WAITING_REASONS } from "../core/event/index.ts";
import type { EventFrame } from "../core/view/index.ts";
import { type Answered, count, jsonObject, micros, moment, type Narrowed } from "./field.ts";

const valueRef = z.object({ path: z.array(z.string()), hash: z.string(), bytes: count });
/** Reference to a large value that is not part of the answer: the answer has null at `path`, and `/blobs/{hash}` returns the value. */
export type ValueRef = Answered<typeof valueRef>;
const refs = z
  .array(valueRef)
  .optional()
  .describe("Large values that were left out: null at `path`, the value at /blobs/{hash}");

export const nodeResultSchema = z.object({
  nodeId: z.string(),
  label: z.string(),
  wave: count,
  status: z.enum(NODE_STATUSES),
  waitingReason: z.enum(WAITING_REASONS).nullable(),
  attempts: count,
  retries: count,
  startedAt: moment.nullable(),
  completedAt: moment.nullable(),
  durationMs: z.number().nullable(),
  outputs: jsonObject.nullable(),
  output: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  isHandled: z.boolean().describe("Whether a step has handled the failure, so that it no longer fails the run"),
  costMicros: micros,
  refs,
});
export type StateNode = Answered<typeof nodeResultSchema>;

export const stateSchema = z.object({
  runId: z.string(),
  workflowId: z.string(),
  status: z.enum(RUN_STATUSES),
  isPaused: z.boolean(),
  isCancelling: z.boolean(),
  activeNodeIds: z.array(z.string()),
  pendingCount: count,
  waitingCount: count,
  inFlightCount: count,
  executedCount: count,
  failedCount: count,
  upstreamFailedCount: count.describe("Number of the failed nodes that did not run because another node had failed"),
  nodeResults: z.array(nodeResultSchema),
  upstreamCount: count,
  downstreamCount: count,
  parentRunId: z.string().nullable(),
  recursionDepth: count,
  outputs: jsonObject
    .nullable()
    .describe("Outputs named by the document; null when there are none or the run has not completed"),
  costMicros: micros,
  lastEventId: count,
  waitingFor: z
    .enum(WAITING_FOR)
    .nullable()
    .describe(
      "What the run waits for, including its child runs. For the state at an earlier event: without its child runs",
    ),
});
export type State = Answered<typeof stateSchema>;

export const eventSchema = z.object({
  eventId: count,
  sequence: count,
  type: z.enum(EVENT_TYPES),
  runId: z.string(),
  workflowId: z.string(),
  timestamp: moment,
  correlation: z.object({
    traceId: z.string(),
    parentEventId: count.optional(),
    wave: count.optional(),
    phase: z.enum(["engine", "transport", "client"]),
  }),
  payload: jsonObject,
  refs,
});
/** An event. The type of its payload follows from its `type`. */
export type Frame = Narrowed<
  Omit<Answered<typeof eventSchema>, "payload">,
  EventFrame & { readonly refs?: readonly ValueRef[] }
>;

export const checkpointSchema = z.object({
  eventId: count,
  type: z.enum(EVENT_TYPES),
  nodeId: z.string().optional(),
  attempt: count.optional(),
  timestamp: moment,
});
export type Checkpoint = Answered<typeof checkpointSchema>;

export const checkpointStateSchema = checkpointSchema.extend({ state: stateSchema });
