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
import type { OpenCall, Route } from "./input.ts";

export type * from "./approval-state.ts";

/**
 * The state of one run, which is the fold of its events and nothing else. It belongs to the caller that advances the run,
 * and only `apply` changes it, in place. When a commit fails, the state is dropped and loaded again.
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
  /** The first run of the family. Null when it is this run. */
  root: { readonly runId: string; readonly createdAt: number } | null;
  /** Number of earlier runs in a chain of runs started by events. */
  hops: number;
  /** The concurrency key and place of the run, when the number of open runs is limited. */
  place: NonNullable<EventPayload<"run.started">["place"]> | null;
  /** Concurrency keys held by the ancestors of the run. */
  heldKeys: readonly string[];
  /** For a block: events its steps took in earlier rounds and attempts, as `step id`. */
  takenBefore: ReadonlySet<string>;
  /** Path of the block to run, and the run whose file contains it. Null when the run executes the whole file. */
  block: string | null;
  owner: BlockOwner | null;
  workflow: string;
  version: number | null;
  trigger: string;
  /** Readable name of the caller that started the run. Null when not known. */
  startedBy: string | null;
  startedAt: number | null;
  endedAt: number | null;
  costMicros: number;
  tokens: Tokens;
  errorCode: string | null;
  /** The reason for the outcome, set when the run has ended. */
  errorReason: string | null;
  /** The outputs named by the document. Null when it names none, or when the run has not completed. */
  outputs: JsonObject | null;
  snapshot: Snapshot | null;
  /** The run's own pause: nothing of the run begins until it is resumed. Null when the run itself is not paused. */
  paused: RunPause | null;
  /** The pause inherited from the parent run, which waits for this one. */
  pausedWithParent: RunPause | null;
  /** Set while the run winds down: the outcome it will have once nothing is in flight. */
  ending: RunEnding | null;
  /** The node whose failure ended the run, kept after the end. Null when there is none or it was not recorded. */
  haltedBy: string | null;
  /** The outcome a step of this block has set for the run that contains the block. Null when no step has. */
  endsOwner: RunEnding | null;
  finally: FinallyState | null;
  readonly carriedBlocks: Map<string, BlockRun>;
  /** Texts of a person that replace the text of a node, by node id. */
  prompts: NonNullable<EventPayload<"run.started">["prompts"]>;
  /** True from a recover until the run ends: success is then `run.recovered` and `run.completed`. */
  isRecovering: boolean;
  /** Nodes of the plan by index, followed by instances in order of creation. */
  readonly nodes: NodeState[];
  readonly instanceIndexById: Map<string, number>;
  /** Results of instances carried over from another run, stored until their node expands. */
  readonly carriedInstances: Map<string, CarriedInstance>;
  /** Turns of instances to be continued, stored until their node expands. */
  readonly carriedTurns: Map<string, AgentTurn>;
  readonly approvals: Map<string, ApprovalState>;
  /** How many nodes, instances included, have each status. */
  readonly counts: Record<NodeStatus, number>;
  /** Number of nodes, instances included, that are blocked until an event, a time or a child run, without waiting for a person. */
  readonly waits: Record<"event" | "timer" | "child", number>;
  /** Number of plan nodes that are not settled. Instances count through their node. */
  unsettledNodes: number;
  /** Number of nodes, instances included, that wait at a limit. */
  limitedNodes: number;
  /** Number of `for_each` nodes that are running only because their instances are. They fill no place of `max_parallel`. */
  expandedRunning: number;
  /** Number of nodes, instances included, that are running only because their child run is. */
  childRunning: number;
  /** Number of those nodes that run a block. The nodes of the block fill places of `max_parallel`; these nodes do not. */
  blocksRunning: number;
  /** Child runs that have not ended, including those abandoned by their node. The run ends after all of them. */
  readonly liveChildren: Set<string>;
  /** Cost recorded so far per child run. A child may spend more after its report. */
  readonly childCosts: Map<string, { readonly costMicros: number; readonly tokens: Tokens }>;
  /** Null when the run started before this was recorded. */
  placement: Placement | null;
  /** Ready nodes that wait to be requested in this run, oldest first. */
  readonly ready: ReadyQueue;
  /** Nodes that only calculate and have not been computed. They take no place. */
  readonly computing: ReadyQueue;
  /** Lanes of a team, with one node in flight at a time: the number in flight, and the waiting nodes, oldest first. */
  readonly lanes: Map<number, Lane>;
  /** Verdicts requested and not yet received. Not part of the log, and empty whenever a commit ends. */
  readonly asked: Map<number, BoundRequest>;
  /** Outstanding verdicts for rounds, by node, and for tool calls, by call id. */
  readonly askedRounds: Set<number>;
  readonly askedCalls: Map<string, OpenCall>;
}

export interface Lane {
  inFlight: number;
  readonly waiting: ReadyQueue["entries"][number][];
}

export type CarriedInstance = Pick<EventPayload<"node.completed">, "outputs" | "envelope"> & Settled;

/** An entry counts only while its node is still queued by that same event, so entries are never removed from the middle. */
export interface ReadyQueue {
  readonly entries: { readonly node: number; readonly eventId: number }[];
  head: number;
}

export interface NodeState {
  readonly id: string;
  readonly index: number;
  /** Index of the plan node. An instance has the index of its node. */
  readonly planIndex: number;
  readonly instance: { readonly parent: number; readonly element: number; item: Json } | null;
  now: NodeNow;
  /** Number of parents that are not settled. */
  unsettledParents: number;
  /** For a step with `join`: the number of parents with the outcome it waits for. */
  metParents: number;
  /** For a step with `join`, when it is reached: the parents that counted. */
  counted: ReadonlySet<number> | null;
  /** Number of undecided dependents that may run although this node has failed. */
  openTolerants: number;
  /** True when the node has failed and the failure no longer fails the run. */
  isHandled: boolean;
  epoch: number;
  /** Number of the newest attempt. Never restarts in a run. */
  attempts: number;
  /** Attempts begun in this epoch, as counted by a retry policy. */
  tries: number;
  /** Retries scheduled in this run. Distinguishes the backoff timers from each other. */
  retries: number;
  /** Adapter calls in this epoch. */
  calls: number;
  /** How often, since the last attempt, the gates were checked again for a paused agent, a closed platform or an unreachable gateway. */
  pausedAsks: number;
  /** True when the verdict of the last attempt allows its effect only once, whatever the plan says. */
  isOnce: boolean;
  /** Attempts that answered escalations added to those of the policy. */
  extraAttempts: number;
  hasEscalated: boolean;
  /** True when the gate of the step was approved in this epoch. */
  isGateApproved: boolean;
  /** Grants of this epoch, each for the request it was given for. */
  grants: readonly { readonly digest: string; readonly policies: readonly string[] }[];
  assignedTo: string | null;
  /** The model that replaced the one before it. Null when none has. */
  model: string | null;
  /** The lane in which the node is in flight. */
  lane: number | null;
  /** Values a person gave for unbound labels, or in place of values the node would read. */
  values: JsonObject;
  /** Values a person entered in the form of the gate. */
  entered: JsonObject;
  /** Ids of the events the node has taken in this epoch. */
  readonly takenEvents: Set<string>;
  /** True when the findings of the binding have been recorded in this epoch. */
  hasFindings: boolean;
  deltaIndex: number;
  /** Executions with an accepted final report, as `attempt/segment`, so that a second report changes nothing. */
  readonly reported: Set<string>;
  /** Rounds with recorded cost, as `attempt/segment/round`, so that a repeated report adds no cost. */
  readonly costedRounds: Set<string>;
  firstStartedAt: number | null;
  costMicros: number;
  tokens: Tokens;
  expansion: Expansion | null;
  lastBlock: LastBlock | null;
  /** The agent's turn in this epoch. Null when it has no round and no tool call. */
  turn: AgentTurn | null;
  /** Agent of the newest attempt, for approvals that follow it. */
  agentId: string | null;
  /** The route of each attempt: attempt n is at n − 1. Reports are accepted only from there. */
  readonly routes: (Route & StartedWith & { readonly startedAt: number })[];
}

type StartedWith = Pick<EventPayload<"node.started">, "instructions" | "maxOutputTokens">;

/** The instances of a `for_each` node and their progress. */
export interface Expansion {
  /** Index in `nodes` of each element's instance. */
  readonly members: number[];
  settled: number;
  failed: number;
  cancelled: number;
  /** Number of instances that have begun and are not settled. */
  active: number;
  /** Next element to begin. Elements before it have begun or are settled. */
  next: number;
}

/** The status of a node, with exactly the facts of that status. */
export type NodeNow =
  | { readonly status: "pending" }
  | { readonly status: "invalidated" }
  | { readonly status: "awaiting_dependency"; readonly waitingReason: "dependency" | "concurrency" }
  | {
      readonly status: "queued";
      readonly waitingReason: WaitingReason;
      /** True while a gate, and not the run's own limit, makes the node wait. */
      readonly isLimited: boolean;
      /** When a gate first made the node wait. `queue_timeout` counts from this time. */
      readonly limitedSince: number | null;
      /** End of a wait that does not count for `queue_timeout`. Null when `queue_timeout` counts. */
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
      /** The event the node waits for. */
      readonly awaited: AwaitedEvent | null;
      /** When the node continues or its wait times out. Null when the wait has no limit. */
      readonly until: number | null;
      /** Id of the event that started the wait. */
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
  /** The execution of the attempt. */
  readonly segment: number;
  readonly startedAt: number;
  readonly route: Route | null;
  readonly isDeferred: boolean;
  /** `deltaIndex` of the node at the start of the attempt. */
  readonly deltaBase: number;
  readonly childRunId: string | null;
  /** Path of the running block, and the run it continues. Null when another workflow runs, or no child run. */
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
