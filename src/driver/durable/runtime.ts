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

/** What edges ask of a driver. Every promise resolves after the commit that made it true. */
export interface Runtime {
  /** Registers the replica, takes over what is orphaned, and begins to work. */
  start(): Promise<void>;
  /** Stops taking inputs, commits what is queued, and releases its lease; open attempts are taken over by others. */
  stop(): Promise<void>;
  launch(launch: Launch): Promise<LaunchOutcome>;
  /** Submits an input to a run; undefined when the organisation has no such run. */
  submit(orgId: string, runId: string, input: UnstampedInput): Promise<SubmitOutcome | undefined>;
  /** A Bridge, or a service outside, says how an attempt ended. Resolves once that cannot be lost any more. */
  report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome>;
  /** What the turns of agents report and ask. */
  readonly turns: Pick<TurnIntake, "round" | "tool" | "toolResult">;
  /** New pieces of a running attempt. */
  stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome>;
  /** Keeps events, and brings them to the nodes that wait for them. Resolves once none of them can be lost. */
  receive(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]>;
  /** The state now, read only: it belongs to the driver and changes with the next commit. */
  stateOf(orgId: string, runId: string): Promise<RunSnapshot | undefined>;
  /** The state as it was after an event; null when the log does not reach so far. */
  stateAt(orgId: string, runId: string, eventId: number): Promise<RunSnapshot | null | undefined>;
  /** What each attempt of a node was sent, by attempt. */
  requestsOf(orgId: string, runId: string, nodeId: string): Promise<ReadonlyMap<number, BoundRequest>>;
  /** By the hash of its text, or of its text with what was pinned; of a block of it, by its path. */
  planOf(orgId: string, hash: string, block?: string | null): Promise<Plan | undefined>;
  /** Looks again at the open runs of a workflow, or of an organisation, that is paused no longer. */
  continueRuns(orgId: string, workflow: string | null): Promise<void>;
  /** Events of commits made by this process, in order. Returns how to stop listening. */
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
  /** The id the run shall have; a new one when absent. */
  readonly runId?: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly definitionHash: string;
  /** Under which its text is kept with what it refers to. */
  readonly pinnedHash?: string | null;
  /** Already checked against the declared args, defaults filled in. */
  readonly args: JsonObject;
  readonly trigger: string;
  /** A new one when absent. */
  readonly traceId?: string;
  /** Whose span in that trace it stands under. */
  readonly parentSpanId?: string;
  readonly startedBy: string | null;
  /** The caller that answers for it, where a trigger started it; absent: its starter. */
  readonly requestedBy?: string | null;
  /** The same as people know it; absent: not known. */
  readonly by?: string;
  readonly model?: string | null;
  readonly gateway?: string | null;
  readonly roleBindings?: Readonly<Record<string, string>>;
  /** Where the run belongs; unless given, found when it is launched. */
  readonly placement?: Placement;
  readonly team?: string | null;
  /** By which it is found, besides what its workflow writes. */
  readonly labels?: RunLabels;
  /** Default: `normal`. */
  readonly priority?: Priority;
  /** The run that waits for it is paused. */
  readonly paused?: PauseFact;
  readonly recoveryMax?: number | null;
  /** The run whose node waits for this one; both are one trace. */
  readonly parent?: {
    readonly runId: string;
    readonly nodeId: string;
    readonly attempt: number;
    readonly recursionDepth: number;
    readonly traceId: string;
    /** How many values it handed to the args; absent: none. */
    readonly handoffs?: number;
  };
  /** Path of the block of the file it runs; absent: the file itself. */
  readonly block?: string;
  /** Of a block: the run whose file it stands in. */
  readonly owner?: NonNullable<StartInput["owner"]>;
  /** The run that began the family; absent: this one. */
  readonly root?: { readonly runId: string; readonly createdAt: number };
  /** One more than the event that starts it has; absent: no event starts it. */
  readonly hops?: number;
  /** How many runs may be open with it, where a trigger starts it that says so. */
  readonly limit?: RunLimit;
  /** Keys its ancestors hold, under which it need not wait; absent: none. */
  readonly heldKeys?: readonly string[];
  /** Of a block: events its steps have taken in rounds and attempts before. */
  readonly taken?: readonly string[];
  /** Restart or branch: the run whose results are kept, cut at an event when branching. */
  readonly source?: {
    readonly runId: string;
    readonly kind: "restart" | "branch";
    readonly fromNode?: string;
    readonly eventId?: number;
    /** Of a branch: what a person has written in place of what nodes were asked, or have returned. */
    readonly edits?: BranchEdits;
    /** Where inside the turn of a node the new run begins. */
    readonly turn?: TurnPoint;
  };
  /** Args that were taken from outputs of other runs, by name. */
  readonly inputsFrom?: Readonly<Record<string, OutputOfRun>>;
  readonly idempotency?: IdempotencyScope & { readonly bodyHash: string };
}

export type LaunchOutcome =
  | { readonly kind: "started"; readonly run: RunRecord }
  /** The idempotency key had started this run before, with the same body. */
  | { readonly kind: "repeated"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface SubmitOutcome {
  readonly run: RunRecord;
  /** Set when the input was not taken; nothing has changed. */
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
  /** Since when nothing can be written; null: everything can. */
  readonly outage: Outage | null;
}

/** More inputs wait than the driver will hold; the caller should come back later. */
export class Overloaded extends Error {
  override readonly name = "Overloaded";
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super("the server has more to do than it can take on");
    this.retryAfterMs = retryAfterMs;
  }
}
