/** The closed lists of statuses and reasons. Types, zod, SQL, docs and screens all use them. */
export const NODE_STATUSES = [
  "pending",
  "awaiting_dependency",
  "queued",
  "running",
  "streaming",
  "retrying",
  "blocked",
  "completed",
  "failed",
  "skipped",
  "cancelled",
  "timed_out",
  "invalidated",
] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];

export const SETTLED_STATUSES = ["completed", "failed", "skipped", "cancelled", "timed_out"] as const;
export type SettledStatus = (typeof SETTLED_STATUSES)[number];

export function isSettled(status: NodeStatus): status is SettledStatus {
  return SETTLED.has(status);
}

const SETTLED: ReadonlySet<NodeStatus> = new Set(SETTLED_STATUSES);

export function isInFlight(status: NodeStatus): boolean {
  return status === "running" || status === "streaming";
}

export const RUN_STATUSES = [
  "queued",
  "running",
  "recovered",
  "completed",
  "failed",
  "cancelled",
  "timed_out",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export function isTerminal(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled" || status === "timed_out";
}

/** Outcomes a run may be winding down to while work is still in flight. */
export const ENDING_STATUSES = ["cancelled", "timed_out", "failed", "completed"] as const;
export type EndingStatus = (typeof ENDING_STATUSES)[number];

export const WAITING_REASONS = [
  "dependency",
  "condition_false",
  "rate_limit",
  "retry_backoff",
  "human_input",
  "external_callback",
  "queued",
  "timer",
  "event",
  "concurrency",
  "child",
  "worker",
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Standing of a run among those with its key: it has a place, waits for one, shares an ancestor's place, or found none. */
export const PLACE_STANDINGS = ["held", "waiting", "inherited", "full"] as const;
export type PlaceStanding = (typeof PLACE_STANDINGS)[number];

/** What happens to a run that finds all places taken: it waits, is cancelled, or takes the place of the oldest. */
export const WHEN_FULL = ["queue", "cancel_new", "cancel_old"] as const;
export type WhenFull = (typeof WHEN_FULL)[number];

/** Order in which the runs of an organisation go first. A run that has waited long enough begins in any case. */
export const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Records by whom, when and why a run, a workflow or an organisation was paused. */
export interface PauseFact {
  /** Readable name of the caller. Null when not known. */
  readonly by: string | null;
  readonly reason: string | null;
  readonly at: number;
}

/** The thing that was paused: the run itself, its parent run, its workflow, or its whole organisation. */
export const PAUSE_SCOPES = ["run", "parent", "workflow", "organisation"] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

/** The pause of a run, with its scope. */
export interface RunPause extends PauseFact {
  readonly scope: PauseScope;
}

/** What a run waits for: an answer, an event from outside, a time, or free capacity at a limit. */
export const WAITING_FOR = ["person", "event", "timer", "gate"] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];
/** What the run itself knows about its wait. For `child`, the child runs have to be queried for what they wait for. */
export type OwnWait = WaitingFor | "child";

export const SKIP_REASONS = [
  "condition_false",
  "parents_skipped",
  "parent_failed",
  "on_failure",
  "chosen",
  "timeout",
  "no_failure",
  "join_unreachable",
  "race_lost",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The kind of action of a step or a tool call, from the mildest to the strictest. */
export const ACTIONS = ["read", "execute", "write", "financial"] as const;
export type Action = (typeof ACTIONS)[number];

/** How often an effect may happen when a crash makes it unclear whether it already happened. */
export const EFFECT_GUARANTEES = ["at_least_once", "at_most_once"] as const;
export type EffectGuarantee = (typeof EFFECT_GUARANTEES)[number];

export const APPROVAL_SOURCES = ["gate", "policy", "escalation", "block", "tool"] as const;
export type ApprovalSource = (typeof APPROVAL_SOURCES)[number];

export const APPROVAL_STATUSES = ["pending", "approved", "rejected", "expired", "cancelled"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const DECISIONS = ["approve", "reject", "retry", "skip", "abort"] as const;
export type Decision = (typeof DECISIONS)[number];

export const WORKFLOW_STATUSES = ["active", "paused", "deprecated"] as const;
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];
