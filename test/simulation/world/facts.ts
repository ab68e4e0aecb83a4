import type { JsonObject } from "../../../src/core/base/index.ts";
import type {
  ApprovalSource,
  EndingStatus,
  NodeStatus,
  PlaceStanding,
  RunEvent,
  RunStatus,
  SkipReason,
  WaitingReason,
} from "../../../src/core/event/index.ts";
import type { PlanNode } from "../../../src/core/plan/index.ts";
import type { Workflow } from "../plans/bundle.ts";
import type { TurnFacts } from "./turn-facts.ts";

/**
 * What an outsider knows of a run who has read its file and its log, and nothing else.
 */
export interface RunFacts {
  readonly runId: string;
  readonly workflow: Workflow;
  readonly nodes: Map<string, NodeFacts>;
  readonly approvals: Map<string, ApprovalFacts>;
  readonly children: Map<string, ChildFacts>;
  /** What comes last has begun and not ended. */
  isFinally: boolean;
  status: RunStatus;
  /** Among the runs with its key; null: it needs none, or there was none for it. */
  place: PlaceStanding | null;
  epoch: number;
  lastEventId: number;
  args: JsonObject;
  /** What the run is winding down to. */
  ending: EndingStatus | null;
  /** By itself, and with its parent. */
  readonly pauses: Set<"run" | "parent">;
  hasEnded: boolean;
  costMicros: number;
  /** Results carried over for instances that do not exist yet. */
  readonly carriedAhead: Map<string, RunEvent>;
  /** Plan nodes and instances by status. */
  readonly counts: Map<NodeStatus, number>;
}

export interface NodeFacts {
  readonly id: string;
  readonly plan: PlanNode;
  /** The `for_each` node an instance belongs to. */
  readonly owner: NodeFacts | null;
  readonly instances: NodeFacts[];
  status: NodeStatus;
  waitingReason: WaitingReason | null;
  /** 0: no attempt is open. */
  openAttempt: number;
  attempts: number;
  /** Attempts opened in this epoch. */
  tries: number;
  epoch: number;
  /** Who had the newest attempt of this epoch. */
  agentId: string | null;
  outputs: JsonObject | null;
  text: string | null;
  isCarried: boolean;
  skipReason: SkipReason | null;
  errorCode: string | null;
  settledEventId: number;
  costMicros: number;
  deltaIndex: number;
  isDeferred: boolean;
  /** The event it waits for, until when it waits, and which event of the log began that. */
  awaited: { readonly type: string; readonly key: JsonObject } | null;
  until: number | null;
  blockedBy: number;
  blockedAt: number;
  /** Ids of events it has taken in this epoch. */
  readonly taken: Set<string>;
  /** The parents a step with `join` has counted. */
  counted: readonly string[] | null;
  isHandled: boolean;
  /** What its agent has done in this epoch. */
  turn: TurnFacts | null;
  /** The present or last execution of the newest attempt, when that began, and how long those before it ran. */
  segment: number;
  startedAt: number;
  ranMs: number;
}

export interface ApprovalFacts {
  readonly id: string;
  readonly nodeId: string;
  readonly source: ApprovalSource;
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled";
}

export interface ChildFacts {
  readonly childRunId: string;
  readonly nodeId: string;
  readonly attempt: number;
  /** What its parent has recorded of what it cost. */
  costMicros: number;
  /** Its parent has recorded how it ended. */
  hasFinished: boolean;
  /** By then its node had begun another. */
  isGivenUp: boolean;
  /** The epoch of the node that began it. */
  readonly epoch: number;
}

export function createFacts(runId: string, workflow: Workflow): RunFacts {
  const run: RunFacts = {
    runId,
    workflow,
    nodes: new Map(),
    approvals: new Map(),
    children: new Map(),
    status: "queued",
    place: null,
    epoch: 0,
    lastEventId: 0,
    args: {},
    ending: null,
    pauses: new Set(),
    hasEnded: false,
    isFinally: false,
    costMicros: 0,
    carriedAhead: new Map(),
    counts: new Map(),
  };
  for (const plan of workflow.plan.nodes) addNode(run, plan.id, plan, null);
  return run;
}

export function addNode(run: RunFacts, id: string, plan: PlanNode, owner: NodeFacts | null): NodeFacts {
  const node: NodeFacts = {
    id,
    plan,
    owner,
    instances: [],
    status: "pending",
    waitingReason: null,
    openAttempt: 0,
    attempts: 0,
    tries: 0,
    epoch: run.epoch,
    agentId: null,
    outputs: null,
    text: null,
    isCarried: false,
    skipReason: null,
    errorCode: null,
    settledEventId: 0,
    costMicros: 0,
    deltaIndex: -1,
    isDeferred: false,
    awaited: null,
    until: null,
    blockedBy: 0,
    blockedAt: 0,
    taken: new Set(),
    counted: null,
    isHandled: false,
    turn: null,
    segment: 0,
    startedAt: 0,
    ranMs: 0,
  };
  run.nodes.set(id, node);
  run.counts.set("pending", countOf(run, "pending") + 1);
  return node;
}

export function countOf(run: RunFacts, status: NodeStatus): number {
  return run.counts.get(status) ?? 0;
}

/** The only writer of a status. */
export function moveNode(run: RunFacts, node: NodeFacts, status: NodeStatus): void {
  if (node.status === status) return;
  run.counts.set(node.status, countOf(run, node.status) - 1);
  run.counts.set(status, countOf(run, status) + 1);
  node.status = status;
}

/** A repeated step takes an event once over all its rounds. */
export function takenBy({ owner, plan, taken }: NodeFacts): Set<string> {
  return owner !== null && plan.repeat !== null ? owner.taken : taken;
}

/** Nothing of it begins; a run that winds down is not held up. */
export function isHeldUp({ pauses, ending }: Pick<RunFacts, "pauses" | "ending">): boolean {
  return pauses.size > 0 && ending === null;
}
