import type { JsonObject, Problem } from "../core/base/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { SpanAddress } from "../core/trace/index.ts";
import type { IdempotencyScope, RunRecord } from "../store/index.ts";

/** Starts runs, whoever wants them: people, schedules, hooks, tools, parents. The same checks and gates for all. */
export interface Launcher {
  launch(request: LaunchRequest): Promise<LaunchResult>;
}

/** A run somebody wants. */
export interface LaunchRequest {
  readonly orgId: string;
  readonly workflow: string;
  /** The newest when absent. */
  readonly version?: number;
  readonly args?: JsonObject;
  readonly model?: string;
  readonly gateway?: string;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly team?: string;
  readonly recovery?: { readonly max: number };
  /** What started it, as `run.started` says: `api`, `schedule`, `hook`, `mcp`. */
  readonly trigger: string;
  /** On whose behalf: the id of a key, or `schedule:NAME`, `hook:NAME`. */
  readonly startedBy: string;
  /** The same as people know them; the id when absent. */
  readonly by?: string;
  /** Whose key it is, if it is an agent's. */
  readonly agentId?: string | null;
  /** The trace it belongs to, and the span in it; a new trace when absent. */
  readonly caller?: SpanAddress;
  readonly idempotency?: IdempotencyScope & { readonly bodyHash: string };
}

export type LaunchResult =
  /** `warnings`: what newer checks would refuse in the version, which runs all the same. */
  | { readonly kind: "started"; readonly run: RunRecord; readonly warnings?: readonly Problem[] }
  /** The idempotency key had started this run before, with the same body. */
  | { readonly kind: "repeated"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly refusal: LaunchRefusal };

export interface LaunchRefusal {
  /** A code of the API: `unknown_workflow`, `invalid_args`, `platform_closed`, `policy_blocked`, … */
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly Problem[];
  /** When gates refused it: what they compared, and what would unblock it. */
  readonly explanation?: Explanation;
  /** When it may be tried again, epoch milliseconds. */
  readonly until?: number;
}
