import type { JsonObject, Json } from "../base/index.ts";
import type {
  Envelope,
  EventPayload,
  HandoffCounts,
  NodeStatus,
  Placement,
  RunEnding,
  RunPause,
  RunStatus,
  SkipReason,
  Snapshot,
  Tokens,
  WaitingReason,
} from "../event/index.ts";
import type { Plan } from "../plan/index.ts";
import type { BlockOwner, BlockRun, FinallyState, LastBlock } from "./block-state.ts";
import type { AgentTurn } from "./agent-turn.ts";
import type { ApprovalState } from "./approval-state.ts";
import type { BoundRequest } from "./effect.ts";
import type { Instruction, OpenCall, Route } from "./input.ts";

export type * from "./approval-state.ts";

/**
 * What is true of one run: the fold of its events, nothing else. Owned by the caller that advances the run and changed in
 * place by `apply` only; when a commit fails the state is dropped and loaded again.
 */
export interface RunState extends HandoffCounts {
  readonly plan: Plan;
  readonly runId: string;
  status: RunStatus;
  epoch: number;
  lastEventId: number;
  args: JsonObject;
  recursionDepth: number;
  parentRunId: string | null;
  /** The run that began the family; null: this one. */
  root: { readonly runId: string; readonly createdAt: number } | null;
  /** How many runs before it have started one another by events. */
  hops: number;
  /** The key it counts under, where the workflow limits how many of its runs are open. */
  place: NonNullable<EventPayload<"run.started">["place"]> | null;
  /** Keys its ancestors hold. */
  heldKeys: readonly string[];
  /** Of a block: the events its steps have taken in rounds and attempts before, as `step id`. */
  takenBefore: ReadonlySet<string>;
  /** Path of the block it runs, and the run whose file that stands in; null: it runs the file itself. */
  block: string | null;
  owner: BlockOwner | null;
  workflow: string;
  version: number | null;
  trigger: string;
  /** Who started it, as people know them; null: not known. */
  startedBy: string | null;
  startedAt: number | null;
  endedAt: number | null;
  costMicros: number;
  tokens: Tokens;
  errorCode: string | null;
  /** Why it ended as it did, once it has. */
  errorReason: string | null;
  /** What the document names as outputs; null: it names none, or the run has not completed. */
  outputs: JsonObject | null;
  snapshot: Snapshot | null;
  /** Nothing of it begins until it is resumed; null: it is not paused itself. */
  paused: RunPause | null;
  /** The same while the run that waits for it is paused. */
  pausedWithParent: RunPause | null;
  /** Set while the run winds down: what it will end as once nothing is in flight. */
  ending: RunEnding | null;
  /** The node whose failure ended it, also once it has ended; null: none, or it was not recorded. */
  haltedBy: string | null;
  /** How a step of this block has ended the run the block belongs to; null: none has. */
  endsOwner: RunEnding | null;
  finally: FinallyState | null;
  readonly carriedBlocks: Map<string, BlockRun>;
  /** What a person wrote in place of the text of a node, by its id. */
  prompts: NonNullable<EventPayload<"run.started">["prompts"]>;
  /** True from a recover until the run ends: success is then `run.recovered` and `run.completed`. */
  isRecovering: boolean;
  /** Nodes of the plan by index, then instances in the order they came to be. */
  readonly nodes: NodeState[];
  readonly instanceIndexById: Map<string, number>;
  /** Instance results carried over from another run, waiting for their node to expand. */
  readonly carriedInstances: Map<string, CarriedInstance>;
  /** The same for the turn of an instance that is to be continued. */
  readonly carriedTurns: Map<string, AgentTurn>;
  readonly approvals: Map<string, ApprovalState>;
  /** How many nodes, instances included, have each status. */
  readonly counts: Record<NodeStatus, number>;
  /** How many nodes, instances included, are blocked until an event or a moment comes; no person is asked. */
  readonly waits: Record<"event" | "timer" | "child", number>;
  /** Plan nodes that are not settled; instances count through their node. */
  unsettledNodes: number;
  /** Nodes, instances included, that wait for room at a limit. */
  limitedNodes: number;
  /** `for_each` nodes that are running only because their instances are: they fill no place of `max_parallel`. */
  expandedRunning: number;
  /** Nodes, instances included, that are running only because their child run is. */
  childRunning: number;
  /** Those of them that run a block: its nodes fill places of `max_parallel`, they do not. */
  blocksRunning: number;
  /** Child runs that have not ended, also those whose node has long given them up: the run ends after them. */
  readonly liveChildren: Set<string>;
  /** What has been recorded here of each child run's cost: it may spend more after its report. */
  readonly childCosts: Map<string, { readonly costMicros: number; readonly tokens: Tokens }>;
  /** Null: the run started before it was kept. */
  placement: Placement | null;
  /** Ready nodes waiting for their turn in this run, oldest first. */
  readonly ready: ReadyQueue;
  /** Nodes that only calculate, and have not yet; they take no place. */
  readonly computing: ReadyQueue;
  /** Lanes of a team in which one node at a time is in flight: how many are, and who waits, oldest first. */
  readonly lanes: Map<number, Lane>;
  /** Verdicts requested and not yet received: no fact, and empty whenever a commit ends. */
  readonly asked: Map<number, BoundRequest>;
  /** The same for rounds, by node, and for tool calls, by call id. */
  readonly askedRounds: Set<number>;
  readonly askedCalls: Map<string, OpenCall>;
}

export interface Lane {
  inFlight: number;
  readonly waiting: ReadyQueue["entries"][number][];
}

export type CarriedInstance = Pick<EventPayload<"node.completed">, "outputs" | "envelope"> & Settled;

/** An entry counts only while its node is still queued by that very event, so nothing is ever removed from the middle. */
export interface ReadyQueue {
  readonly entries: { readonly node: number; readonly eventId: number }[];
  head: number;
}

export interface NodeState {
  readonly id: string;
  readonly index: number;
  /** The plan node it runs; an instance shares its node's. */
  readonly planIndex: number;
  readonly instance: { readonly parent: number; readonly element: number; item: Json } | null;
  now: NodeNow;
  /** Parents that are not settled. */
  unsettledParents: number;
  /** Of a step with `join`: parents that have ended as it waits for. */
  metParents: number;
  /** Of a step with `join`, once so many have: the parents that were enough. */
  counted: ReadonlySet<number> | null;
  /** Dependents that may run although this node has failed, and of which that is not decided. */
  openTolerants: number;
  /** It has failed, and that no longer fails the run. */
  isHandled: boolean;
  epoch: number;
  /** Number of the newest attempt; never restarts in a run. */
  attempts: number;
  /** Attempts begun in this epoch; what a retry policy counts. */
  tries: number;
  /** Retries scheduled in this run; distinguishes one backoff timer from the next. */
  retries: number;
  /** Adapter calls in this epoch. */
  calls: number;
  /** Times a paused agent was asked in this epoch. */
  pausedAsks: number;
  /** The verdict of its last attempt allows that once only, whatever the plan says. */
  isOnce: boolean;
  /** Attempts an answered escalation added to the policy's. */
  extraAttempts: number;
  hasEscalated: boolean;
  /** The human gate of the step itself was answered with yes in this epoch. */
  isGateApproved: boolean;
  /** What people have allowed in this epoch, each for the request it was asked about. */
  grants: readonly { readonly digest: string; readonly policies: readonly string[] }[];
  assignedTo: string | null;
  /** The model that took over from the one before it; null: none has. */
  model: string | null;
  /** The lane it is in flight in. */
  lane: number | null;
  /** Values a person gave for unbound labels, or in place of what the node would read. */
  values: JsonObject;
  /** What a person entered at its gate. */
  entered: JsonObject;
  /** Ids of events it has taken in this epoch. */
  readonly takenEvents: Set<string>;
  /** The findings of its binding have been recorded in this epoch. */
  hasFindings: boolean;
  deltaIndex: number;
  /** Executions whose final report has been taken, as `attempt/segment`, so that a second one changes nothing. */
  readonly reported: Set<string>;
  /** Rounds whose cost is recorded, as `attempt/segment/round`: a report that comes twice costs once. */
  readonly costedRounds: Set<string>;
  firstStartedAt: number | null;
  costMicros: number;
  tokens: Tokens;
  expansion: Expansion | null;
  lastBlock: LastBlock | null;
  /** What its agent has done in this epoch; null: no round and no call of a tool. */
  turn: AgentTurn | null;
  /** Agent of the newest attempt, for approvals that follow it. */
  agentId: string | null;
  /** Where each attempt went: attempt n at n − 1. Reports come only from there. */
  readonly routes: (Route & { readonly startedAt: number; readonly instructions?: readonly Instruction[] })[];
}

/** Instances of a `for_each` node, and how far they are. */
export interface Expansion {
  /** State index of each element's instance. */
  readonly members: number[];
  settled: number;
  failed: number;
  cancelled: number;
  /** Begun and not settled. */
  active: number;
  /** Next element to begin; elements before it have begun or are settled. */
  next: number;
}

/** Each status carries exactly its own facts. */
export type NodeNow =
  | { readonly status: "pending" }
  | { readonly status: "invalidated" }
  | { readonly status: "awaiting_dependency"; readonly waitingReason: "dependency" | "concurrency" }
  | {
      readonly status: "queued";
      readonly waitingReason: WaitingReason;
      /** True while a gate, not this run's own limit, makes it wait. */
      readonly isLimited: boolean;
      /** When a gate first made it wait; `queue_timeout` counts from here. */
      readonly limitedSince: number | null;
      /** Until when it waits without failing; null: `queue_timeout` counts. */
      readonly patientUntil: number | null;
      readonly eventId: number;
    }
  | Running
  | {
      readonly status: "retrying";
      readonly waitingReason: "rate_limit" | "retry_backoff";
      readonly until: number;
      readonly errorCode: string;
      readonly errorMessage: string;
    }
  | {
      readonly status: "blocked";
      readonly waitingReason: WaitingReason;
      readonly approvalId: string | null;
      readonly missing: readonly string[];
      readonly errorCode: string | null;
      readonly errorMessage: string | null;
      /** The event it waits for. */
      readonly awaited: AwaitedEvent | null;
      /** When it continues, or has waited long enough; null: it waits as long as it takes. */
      readonly until: number | null;
      /** Of the event with which it began to wait. */
      readonly eventId: number;
    }
  | Completed
  | (Settled & { readonly status: "failed" | "timed_out"; readonly errorCode: string; readonly errorMessage: string })
  | (Settled & {
      readonly status: "skipped";
      readonly reason: SkipReason;
      readonly errorCode: string | null;
      readonly errorMessage: string | null;
    })
  | (Settled & { readonly status: "cancelled"; readonly reason: string });

export interface AwaitedEvent {
  readonly type: string;
  readonly key: JsonObject;
}

export interface Running {
  readonly status: "running" | "streaming";
  /** 0 for a `for_each` node, which has instances instead of attempts. */
  readonly attempt: number;
  /** Which execution of the attempt. */
  readonly segment: number;
  readonly startedAt: number;
  readonly route: Route | null;
  readonly isDeferred: boolean;
  /** `deltaIndex` of the node when the attempt began. */
  readonly deltaBase: number;
  readonly childRunId: string | null;
  /** Path of the block that runs, and the run it continues; null: another workflow runs, or none. */
  readonly block: string | null;
  readonly sourceRunId: string | null;
}

interface Settled {
  readonly settledAt: number;
  readonly eventId: number;
}

export interface Completed extends Settled {
  readonly status: "completed";
  readonly outputs: JsonObject;
  readonly envelope: Envelope;
  readonly durationMs: number;
  readonly isCarried: boolean;
}
