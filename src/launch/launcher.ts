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

/** Does a run again, as a new run or as the same one. */
export interface Relauncher {
  /** Starts a new run that keeps results of another one. */
  relaunch(request: RelaunchRequest): Promise<LaunchResult>;
  /** What a branch would keep of a run; nothing is started, and no gate is asked. */
  previewBranch(run: RunRecord, from: BranchFrom): Promise<KeptNodes | { readonly refusal: LaunchRefusal }>;
  /** Why the launch gates do not let a run be recovered; null when they do. */
  refuseRecovery(run: RunRecord, caller: LaunchCaller): Promise<LaunchRefusal | null>;
}

/** Of the nodes of a run, those whose results a new run keeps, and those it runs again. */
export interface KeptNodes {
  readonly carriedOver: readonly string[];
  readonly runsAgain: readonly string[];
}

/** On whose behalf a run is started. */
export interface LaunchCaller {
  /** The id of a key, or `trigger:NAME`, `schedule:NAME`, `hook:NAME`. */
  readonly startedBy: string;
  /** The name people know; default: the id. */
  readonly by?: string;
  /** The agent the key belongs to; absent or null: a person. */
  readonly agentId?: string | null;
  /** The id of the key or token that answers for it, where a trigger starts it; absent or null: the starter. */
  readonly requestedBy?: string | null;
}

export type LaunchIdempotency = IdempotencyScope & { readonly bodyHash: string };

export interface LaunchRequest extends LaunchCaller {
  readonly orgId: string;
  readonly workflow: string;
  /** Default: the newest. */
  readonly version?: number;
  readonly args?: JsonObject;
  readonly model?: string;
  readonly gateway?: string;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly team?: string;
  /** By which the run is found, besides what its workflow writes; these come first. */
  readonly labels?: RunLabels;
  /** Default: that of the workflow. */
  readonly priority?: Priority;
  readonly recovery?: { readonly max: number };
  /** What started it, as `run.started` records: `api`, `schedule`, `hook`, `mcp`. */
  readonly trigger: string;
  /** The trace it belongs to, and the span in it; default: a new trace. */
  readonly caller?: SpanAddress;
  readonly idempotency?: LaunchIdempotency;
  /** One more than the event that starts it has; absent: no event starts it. */
  readonly hops?: number;
  /** How many runs may be open with it, where its trigger says so. */
  readonly limit?: RunLimit;
}

export interface RelaunchRequest extends LaunchCaller {
  /** The run whose results are kept. */
  readonly run: RunRecord;
  readonly from: RestartFrom | BranchFrom | BranchInTurn;
  readonly idempotency?: LaunchIdempotency;
}

/** Everything that completed is kept, or what lies before a node. */
export interface RestartFrom {
  readonly kind: "restart";
  readonly fromNode?: string;
}

/** What had settled at an event is kept, as far as its inputs stay the same. */
export interface BranchFrom {
  readonly kind: "branch";
  readonly eventId: number;
  /** Args that differ from those of the run. */
  readonly args?: JsonObject;
  /** Args that are taken from outputs of other runs. */
  readonly inputsFrom?: InputsFrom;
  /** What nodes are asked, or are taken to have returned, instead. */
  readonly edits?: Pick<BranchEdits, "prompts" | "outputs">;
}

/** What had settled is kept, and of the turn of a node the rounds up to one. */
export interface BranchInTurn {
  readonly kind: "branch";
  readonly turn: Omit<TurnPoint, "by">;
}

export type InputsFrom = Readonly<Record<string, ArgOrigin>>;

export type LaunchResult =
  /** `warnings`: what newer checks would refuse in the version, which runs all the same. */
  | { readonly kind: "started"; readonly run: RunRecord; readonly warnings?: readonly Problem[] }
  /** The idempotency key had started this run before, with the same body. */
  | { readonly kind: "repeated"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly refusal: LaunchRefusal };

/** One thing that is wrong with a request. */
type RequestProblem = Pick<Problem, "message" | "path" | "hint"> & { readonly code: string };

export interface LaunchRefusal {
  /** A code of the API: `unknown_workflow`, `invalid_args`, `platform_closed`, `policy_blocked`, … */
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly RequestProblem[];
  /** When gates refused it: what they compared, and what would unblock it. */
  readonly explanation?: Explanation;
  /** When it may be tried again, epoch milliseconds. */
  readonly until?: number;
}
