import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Hits, RateWindow, SharedPart } from "../core/governance/index.ts";
import type { Listed, Page } from "./store.ts";

/** Returns the counter name for the open attempts of a run and its blocks. It is kept beside those of agents; no agent has such a name. */
export function runCounter(runId: string): string {
  return `${RUN_COUNTER}${runId}`;
}

export const RUN_COUNTER = "run/";

/** The changes to an agent in one run's share of a commit: slots taken and returned, and dispatches in its window. */
export interface SlotChange {
  readonly agentId: string;
  /** Slots taken minus slots returned. */
  readonly delta: number;
  /** The agent's limit, checked when a slot is taken; null when slots are only returned. */
  readonly maxOpen: number | null;
  /** Dispatches with their times, ascending; empty when there is no limit. */
  readonly hits: readonly Hits[];
  /** Null when there is no limit. */
  readonly rate: RateWindow | null;
}

/** The changes of one run's share of a commit to an envelope in one of its periods, in micro-dollars. */
export interface LedgerChange {
  readonly envelopeId: string;
  /** Epoch milliseconds. */
  readonly periodStart: number;
  readonly reserved: number;
  readonly spent: number;
  /** Upper bound of spent + reserved, checked when money is reserved. Null when no ceiling applies. */
  readonly ceiling: number | null;
}

/** Money reserved for an open attempt; released when the attempt ends. */
export interface Reservation {
  readonly envelopeId: string;
  readonly periodStart: number;
  readonly micros: number;
}

/** One report of cost, the source data for billing. */
export interface UsageRecord {
  readonly nodeId: string;
  readonly attempt: number;
  readonly agentId: string | null;
  readonly model: string | null;
  readonly gatewayId: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly costMicros: number;
  readonly priceId: string | null;
  readonly at: number;
}

/** A verdict as kept: facts, trail and the versions of the policies that produced it. */
export interface StoredVerdict {
  readonly verdictId: string;
  readonly nodeId: string;
  readonly attempt: number | null;
  readonly at: number;
  readonly disposition: "allow" | "block" | "hold";
  readonly gate: string | null;
  readonly code: string | null;
  readonly body: JsonObject;
}

/** A verdict to be kept, with its body as JSON text: the body is large, and is written once, when its hash is computed. */
export type NewVerdict = Omit<StoredVerdict, "body"> & {
  readonly bodyText: string;
  /** Parts that the body refers to instead of containing them. */
  readonly shared?: readonly SharedPart[];
};

export type RunVerdict = StoredVerdict & { readonly runId: string };

export interface AgentCounter {
  readonly agentId: string;
  readonly open: number;
  /** For a run: the limit that was last applied. For an agent, the limit is in its registration. */
  readonly maxOpen?: number;
  /** Dispatches of the last two windows, ascending, one entry per moment. */
  readonly hits: readonly Hits[];
}

export interface EnvelopeCounter {
  readonly envelopeId: string;
  readonly periodStart: number;
  readonly spent: number;
  readonly reserved: number;
}

export interface Counters {
  readonly agents: readonly AgentCounter[];
  readonly envelopes: readonly EnvelopeCounter[];
}

export const USAGE_BUCKETS = ["hour", "day", "week", "month"] as const;
export const USAGE_GROUPS = ["agent", "model", "workflow", "gateway"] as const;

export interface UsageSelection {
  readonly bucket: (typeof USAGE_BUCKETS)[number];
  readonly by: (typeof USAGE_GROUPS)[number] | null;
  readonly since: number;
  readonly until: number;
}

export interface UsageRow {
  /** Start of the bucket, epoch milliseconds, UTC. */
  readonly bucketStart: number;
  readonly group: string | null;
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly costMicros: number;
}

/** A place in a rate window, taken without a run. */
export interface WindowPlace {
  /** Name of the counter, used in place of an agent id. */
  readonly counter: string;
  readonly rate: RateWindow;
  readonly at: number;
}

export interface GovernanceStore {
  /**
   * Returns all counters of an organisation: those of agents, of runs with open attempts, and of envelopes whose period
   * started at or after `since`.
   */
  readCounters(orgId: string, since: number): Promise<Counters>;
  /** Returns the counters of several organisations, by organisation id. */
  readCountersOf(orgIds: readonly string[], since: number): Promise<ReadonlyMap<string, Counters>>;
  /** Takes a place in each of these windows, or in none. Returns false when one of them is full. */
  takePlaces(orgId: string, places: readonly WindowPlace[]): Promise<boolean>;
  /** Returns verdicts in the order in which they were made. */
  verdictsOf(orgId: string, runId: string): Promise<readonly StoredVerdict[]>;
  /** Returns verdicts made at or after `since`, newest first, to try a policy on past cases. */
  listVerdicts(orgId: string, since: number, page: Page): Promise<Listed<RunVerdict>>;
  usage(orgId: string, query: UsageSelection): Promise<readonly UsageRow[]>;
  /** Writes the audit entry the first time a key is used. Returns false every other time. */
  markOnce(orgId: string, key: string, entry: AuditEntry): Promise<boolean>;
  /**
   * Recounts the open attempts of every agent and the reservations in every envelope from the rows of open attempts;
   * corrects and returns those that differed. Removes counters of runs without open attempts. Safe while commits and
   * other replicas run.
   */
  recount(): Promise<readonly string[]>;
  /**
   * Returns envelopes of periods that started at or after `since` whose spending is higher than all usage since then.
   * They are only reported: spending cannot be recounted after usage was deleted.
   */
  unexplainedSpending(since: number): Promise<readonly string[]>;
  /** Deletes at most `limit` usage records made before an instant; returns how many. */
  pruneUsage(before: number, limit: number): Promise<number>;
}
