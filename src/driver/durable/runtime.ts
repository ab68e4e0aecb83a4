import type { TurnIntake } from "./turn-intake.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { CallbackBody } from "../../bridge/index.ts";
import type {
  BoundRequest,
  OutputOfRun,
  Refusal,
  RunLabels,
  RunLimit,
  RunState,
  StartInput,
  StreamInput,
  BranchEdits,
  TurnPoint,
  UnstampedInput,
} from "../../core/engine/index.ts";
import type { AttemptAddress, PauseFact, Placement, Priority } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { IdempotencyScope, NewEvent, PutEvent, RunRecord } from "../../store/index.ts";
import type { Listener } from "./listeners.ts";
import type { Outage } from "./store-health.ts";
import type { Reporter, ReportOutcome } from "./attempt-report.ts";

/** The interface of the driver for edges. Every promise resolves after the commit of its result. */
export interface Runtime {
  /** Registers the replica, takes over orphaned attempts, and begins to work. */
  start(): Promise<void>;
  /** Stops accepting inputs, commits queued ones, and releases the lease. Other replicas take over the open attempts. */
  stop(): Promise<void>;
  launch(launch: Launch): Promise<LaunchOutcome>;
  /** Submits an input to a run; undefined when the organisation has no such run. */
  submit(orgId: string, runId: string, input: UnstampedInput): Promise<SubmitOutcome | undefined>;
  /** Accepts the report of a Bridge or outside service on how an attempt ended. Resolves once it is stored durably. */
  report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome>;
  /** Accepts reports and tool calls from the turns of agents. */
  readonly turns: Pick<TurnIntake, "round" | "tool" | "toolResult">;
  /** Accepts new pieces of output from a running attempt. */
  stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome>;
  /** Stores events and delivers them to the nodes that wait for them. Resolves once all events are stored durably. */
  receive(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]>;
  /** The current state, read only: it belongs to the driver and changes with the next commit. */
  stateOf(orgId: string, runId: string): Promise<RunSnapshot | undefined>;
  /** The state right after an event; null when the log has no such event. */
  stateAt(orgId: string, runId: string, eventId: number): Promise<RunSnapshot | null | undefined>;
  /** The request of each attempt of a node, by attempt. */
  requestsOf(orgId: string, runId: string, nodeId: string): Promise<ReadonlyMap<number, BoundRequest>>;
  /** Returns a plan by the hash of its text, or of its text with its pins. `block`: path of a block inside it. */
  planOf(orgId: string, hash: string, block?: string | null): Promise<Plan | undefined>;
  /** Checks the open runs of a workflow or organisation again after it is no longer paused. */
  continueRuns(orgId: string, workflow: string | null): Promise<void>;
  /** Listens to the events of commits made by this process, in order. Returns a function that stops listening. */
  onCommitted(listener: Listener): () => void;
  /** Figures for metrics and health. */
  figures(): RuntimeFigures;
}

export interface RunSnapshot {
  readonly run: RunRecord;
  readonly state: RunState;
}

export interface Launch {
  readonly orgId: string;
  /** Id of the new run; generated when absent. */
  readonly runId?: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly definitionHash: string;
  /** Hash under which the text is stored together with everything it refers to. */
  readonly pinnedHash?: string | null;
  /** Already checked against the declared args, with defaults filled in. */
  readonly args: JsonObject;
  readonly trigger: string;
  /** Generated when absent. */
  readonly traceId?: string;
  /** The parent span within that trace. */
  readonly parentSpanId?: string;
  readonly startedBy: string | null;
  /** The caller responsible for a run that a trigger started; when absent, `startedBy` is responsible. */
  readonly requestedBy?: string | null;
  /** The starter's name as people know it; absent when unknown. */
  readonly by?: string;
  readonly model?: string | null;
  readonly gateway?: string | null;
  readonly roleBindings?: Readonly<Record<string, string>>;
  /** Gateway and roles of the run; resolved at launch when absent. */
  readonly placement?: Placement;
  readonly team?: string | null;
  /** Labels in addition to those that the workflow declares. */
  readonly labels?: RunLabels;
  /** Default: `normal`. */
  readonly priority?: Priority;
  /** Set when the run that waits for this one is paused. */
  readonly paused?: PauseFact;
  readonly recoveryMax?: number | null;
  /** The run whose node waits for this run. Both share one trace. */
  readonly parent?: {
    readonly runId: string;
    readonly nodeId: string;
    readonly attempt: number;
    readonly recursionDepth: number;
    readonly traceId: string;
    /** Number of values that the parent passed to the args; absent when there were none. */
    readonly handoffs?: number;
  };
  /** Path of the block to run; absent for the file itself. */
  readonly block?: string;
  /** For a block: the run whose file contains it. */
  readonly owner?: NonNullable<StartInput["owner"]>;
  /** The first run of the family; absent when it is this run. */
  readonly root?: { readonly runId: string; readonly createdAt: number };
  /** The hop count of the event that starts the run, plus one; absent when no event starts it. */
  readonly hops?: number;
  /** The limit on open runs that the starting trigger sets, if it sets one. */
  readonly limit?: RunLimit;
  /** Keys held by ancestors, for which the run need not wait; absent when there are none. */
  readonly heldKeys?: readonly string[];
  /** For a block: events that its steps took in earlier rounds and attempts. */
  readonly taken?: readonly string[];
  /** For a restart or branch: the run whose results are kept, cut at `eventId` when branching. */
  readonly source?: {
    readonly runId: string;
    readonly kind: "restart" | "branch";
    readonly fromNode?: string;
    readonly eventId?: number;
    /** For a branch: texts or outputs that a person edited, in place of the originals. */
    readonly edits?: BranchEdits;
    /** The point inside the turn of a node where the new run begins. */
    readonly turn?: TurnPoint;
  };
  /** Args that were taken from outputs of other runs, by arg name. */
  readonly inputsFrom?: Readonly<Record<string, OutputOfRun>>;
  readonly idempotency?: IdempotencyScope & { readonly bodyHash: string };
}

export type LaunchOutcome =
  | { readonly kind: "started"; readonly run: RunRecord }
  /** An earlier request with the same idempotency key and body had started this run. */
  | { readonly kind: "repeated"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface SubmitOutcome {
  readonly run: RunRecord;
  /** Set when the input was refused; nothing has changed. */
  readonly refusal?: Refusal;
}

export interface RuntimeFigures {
  readonly replicaId: string;
  readonly queuedInputs: number;
  readonly cachedRuns: number;
  readonly cachedBytes: number;
  readonly openDispatches: number;
  readonly commits: number;
  readonly committedEvents: number;
  readonly committedRuns: number;
  readonly conflicts: number;
  readonly parkedRuns: number;
  /** Set while nothing can be written to the store; null otherwise. */
  readonly outage: Outage | null;
}

/** Thrown when too many inputs are queued. The caller should retry later. */
export class Overloaded extends Error {
  override readonly name = "Overloaded";
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super("the server has more to do than it can take on");
    this.retryAfterMs = retryAfterMs;
  }
}
