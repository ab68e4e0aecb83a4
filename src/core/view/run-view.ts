import type { Json, JsonObject } from "../base/index.ts";
import {
  type ApprovalSource,
  type ApprovalStatus,
  type Decision,
  type EndingStatus,
  type HandoffCounts,
  NODE_STATUSES,
  type NodeStatus,
  type RunPause,
  type RunStatus,
  type WaitingReason,
} from "../event/index.ts";
import type { Plan } from "../plan/index.ts";

/** The parts of a plan that a client needs to show a run: its nodes in plan order. */
export interface PlanOutline {
  readonly nodes: readonly OutlineNode[];
}

export interface OutlineNode {
  readonly id: string;
  readonly label: string;
  readonly wave: number;
}

export function outlineOf(plan: Plan): PlanOutline {
  return { nodes: plan.nodes.map(({ id, label, wave }) => ({ id, label, wave })) };
}

/**
 * A run derived from its events alone, as shown by console, CLI and clients. The view is changed in place, one event at a time.
 * A `NodeView` or `ApprovalView` is replaced on every change, so that screens can compare by identity.
 */
export interface RunView extends HandoffCounts {
  status: RunStatus;
  epoch: number;
  lastEventId: number;
  /** True when an event is missing. No later event has been folded, and the stream must be resumed after `lastEventId`. */
  hasGap: boolean;
  workflow: string | null;
  version: number | null;
  parentRunId: string | null;
  recursionDepth: number;
  startedAt: number | null;
  endedAt: number | null;
  errorCode: string | null;
  /** Outputs that the document names. Null when it names none or the run has not completed. */
  outputs: JsonObject | null;
  costMicros: number;
  /** The run's own pause, and the pause of its parent run. */
  pauses: readonly RunPause[];
  /** The status with which the run will end once nothing is in flight. Null when it is not ending. */
  ending: EndingStatus | null;
  /** In plan order when there is an outline, otherwise in order of appearance. Instances are last. */
  readonly nodes: Map<string, NodeView>;
  readonly approvals: Map<string, ApprovalView>;
  /** Nodes by status, instances included. */
  readonly counts: Record<NodeStatus, number>;
  /** Results of instances carried over from another run, until their node expands. */
  readonly carriedInstances: Map<string, { readonly outputs: JsonObject; readonly output: string }>;
  /** Number of failed nodes that did not run because another node had failed. */
  upstreamFailures: number;
}

export interface NodeView {
  readonly id: string;
  readonly label: string;
  /** The label with its references filled in, after an approval about the node was opened; before that, the plain label. */
  readonly title: string;
  readonly wave: number | null;
  /** Set on an instance of a `for_each` node. */
  readonly instance: { readonly parent: string; readonly element: number } | null;
  readonly status: NodeStatus;
  readonly waitingReason: WaitingReason | null;
  readonly attempts: number;
  readonly retries: number;
  /** Start of the first attempt. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  readonly outputs: JsonObject | null;
  readonly output: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly costMicros: number;
  readonly agentId: string | null;
  readonly model: string | null;
  /** Labels that a person has to bind while the node is blocked. */
  readonly missing: readonly string[];
  readonly approvalId: string | null;
  /** The newest child run that the node started. Kept after the node has settled. */
  readonly childRunId: string | null;
  /** Whether the result was carried over from the run that was restarted or branched. */
  readonly isCarried: boolean;
  /** Chunks of the current attempt, joined. */
  readonly streamedText: string;
  readonly streamedMedia: readonly Json[];
  /** Highest index of a chunk so far; chunks that are not higher are dropped. -1 before the first. */
  readonly deltaIndex: number;
  /** Whether the node is running only because its instances are. */
  readonly isExpanded: boolean;
  /** Whether the node failed but no longer fails the run. */
  readonly isHandled: boolean;
  /** Set when the instances are rounds. */
  readonly isRepeated?: true;
  /** Number of instances of a `for_each` node that failed or timed out, tolerated or not. */
  readonly failedInstances: number;
}

export interface ApprovalView {
  readonly id: string;
  readonly nodeId: string;
  readonly source: ApprovalSource;
  readonly status: ApprovalStatus;
  readonly choices: readonly Decision[];
  readonly summary: string;
  readonly rendered: string;
  readonly digest: string;
  readonly agentId: string | null;
  readonly approvers: readonly string[];
  readonly hop: number;
  readonly title: string;
  /** Null in logs older than subjects. */
  readonly subjectDigest: string | null;
  /** Number of different people who must approve, and number who have. */
  readonly quorum: number;
  readonly answers: number;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly resolvedAt: number | null;
  readonly decision: Decision | null;
  readonly by: string | null;
  readonly reason: string | null;
}

/** Creates the view of a run before its first event. */
export function createView(outline?: PlanOutline): RunView {
  const nodes = (outline?.nodes ?? []).map(({ id, label, wave }) => newNode(id, label, wave, null));
  const counts = Object.fromEntries(NODE_STATUSES.map((status) => [status, 0])) as Record<NodeStatus, number>;
  counts.pending = nodes.length;
  return {
    status: "queued",
    epoch: 0,
    lastEventId: 0,
    hasGap: false,
    workflow: null,
    version: null,
    parentRunId: null,
    upstreamCount: 0,
    downstreamCount: 0,
    handoffs: new Map(),
    recursionDepth: 0,
    startedAt: null,
    endedAt: null,
    errorCode: null,
    outputs: null,
    costMicros: 0,
    pauses: [],
    ending: null,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    approvals: new Map(),
    counts,
    carriedInstances: new Map(),
    upstreamFailures: 0,
  };
}

export function newNode(id: string, label: string, wave: number | null, instance: NodeView["instance"]): NodeView {
  return {
    id,
    label,
    title: label,
    wave,
    instance,
    status: "pending",
    ...CLEARED_STATUS_FIELDS,
    attempts: 0,
    retries: 0,
    startedAt: null,
    costMicros: 0,
    agentId: null,
    model: null,
    childRunId: null,
    failedInstances: 0,
    streamedText: "",
    streamedMedia: [],
    deltaIndex: -1,
  };
}

/** Fields of a node that has not ended. */
export const NO_RESULT = {
  durationMs: null,
  outputs: null,
  output: null,
  errorCode: null,
  errorMessage: null,
} as const satisfies Partial<NodeView>;

/** Fields that belong to a status and are reset when it changes. */
export const CLEARED_STATUS_FIELDS = {
  waitingReason: null,
  completedAt: null,
  ...NO_RESULT,
  missing: [],
  approvalId: null,
  isCarried: false,
  isExpanded: false,
  isHandled: false,
} as const satisfies Partial<NodeView>;
