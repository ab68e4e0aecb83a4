import type { JsonObject, Problem } from "../core/base/index.ts";
import type { BranchEdits, RunLabels, RunLimit, TurnPoint } from "../core/engine/index.ts";
import type { Priority } from "../core/event/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { ArgOrigin } from "../core/provenance/index.ts";
import type { SpanAddress } from "../core/trace/index.ts";
import type { IdempotencyScope, RunRecord } from "../store/index.ts";

/** Starts runs for people, schedules, hooks, tools and parents, with the same checks and gates for all. */
export interface Launcher {
  launch(request: LaunchRequest): Promise<LaunchResult>;
}

/** Starts runs based on earlier runs, or recovers them. */
export interface Relauncher {
  /** Starts a new run that keeps results of an earlier one. */
  relaunch(request: RelaunchRequest): Promise<LaunchResult>;
  /** Returns what a branch would keep of a run. Starts nothing and asks no gate. */
  previewBranch(run: RunRecord, from: BranchFrom): Promise<KeptNodes | { readonly refusal: LaunchRefusal }>;
  /** Returns why the launch gates refuse to recover a run; null when they allow it. */
  refuseRecovery(run: RunRecord, caller: LaunchCaller): Promise<LaunchRefusal | null>;
}

/** The nodes of a run whose results a new run keeps, and the nodes that it runs again. */
export interface KeptNodes {
  readonly carriedOver: readonly string[];
  readonly runsAgain: readonly string[];
}

/** The caller on whose behalf a run is started. */
export interface LaunchCaller {
  /** The id of a key, or `trigger:NAME`, `schedule:NAME`, `hook:NAME`. */
  readonly startedBy: string;
  /** The name that people know; default: the id. */
  readonly by?: string;
  /** The agent that owns the key; absent or null for a person. */
  readonly agentId?: string | null;
  /** The key or token responsible for a run that a trigger started; absent or null for the starter. */
  readonly requestedBy?: string | null;
}

export type LaunchIdempotency = IdempotencyScope & { readonly bodyHash: string };

export interface LaunchRequest extends LaunchCaller {
  readonly orgId: string;
  readonly workflow: string;
  /** Default: the newest version. */
  readonly version?: number;
  readonly args?: JsonObject;
  readonly model?: string;
  readonly gateway?: string;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly team?: string;
  /** Labels in addition to those of the workflow, and listed before them. */
  readonly labels?: RunLabels;
  /** Default: the priority of the workflow. */
  readonly priority?: Priority;
  readonly recovery?: { readonly max: number };
  /** The kind of start recorded in `run.started`: `api`, `schedule`, `hook`, `mcp`. */
  readonly trigger: string;
  /** The trace of the run and its parent span; default: a new trace. */
  readonly caller?: SpanAddress;
  readonly idempotency?: LaunchIdempotency;
  /** The hop count of the event that starts the run; absent when no event starts it. */
  readonly hops?: number;
  /** The limit on open runs that its trigger sets, if it sets one. */
  readonly limit?: RunLimit;
}

export interface RelaunchRequest extends LaunchCaller {
  /** The run whose results are kept. */
  readonly run: RunRecord;
  readonly from: RestartFrom | BranchFrom | BranchInTurn;
  readonly idempotency?: LaunchIdempotency;
}

/** Keeps every completed node, or those before a given node. */
export interface RestartFrom {
  readonly kind: "restart";
  readonly fromNode?: string;
}

/** Keeps nodes that had settled at an event, as long as their inputs stay the same. */
export interface BranchFrom {
  readonly kind: "branch";
  readonly eventId: number;
  /** Args that replace those of the run. */
  readonly args?: JsonObject;
  /** Args that are taken from outputs of other runs. */
  readonly inputsFrom?: InputsFrom;
  /** Prompts or outputs that replace those of nodes. */
  readonly edits?: Pick<BranchEdits, "prompts" | "outputs">;
}

/** Keeps settled nodes, and the rounds of a node's turn up to a given one. */
export interface BranchInTurn {
  readonly kind: "branch";
  readonly turn: Omit<TurnPoint, "by">;
}

export type InputsFrom = Readonly<Record<string, ArgOrigin>>;

export type LaunchResult =
  /** `warnings`: problems that newer checks find in the version. The run starts anyway. */
  | { readonly kind: "started"; readonly run: RunRecord; readonly warnings?: readonly Problem[] }
  /** An earlier request with the same idempotency key and body had started this run. */
  | { readonly kind: "repeated"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly refusal: LaunchRefusal };

/** One problem of a request. */
type RequestProblem = Pick<Problem, "message" | "path" | "hint"> & { readonly code: string };

export interface LaunchRefusal {
  /** An API code: `unknown_workflow`, `invalid_args`, `platform_closed`, `policy_blocked`, … */
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly RequestProblem[];
  /** Set when a gate refused the launch: what it compared, and what would unblock it. */
  readonly explanation?: Explanation;
  /** Earliest time for another try, epoch milliseconds. */
  readonly until?: number;
}
