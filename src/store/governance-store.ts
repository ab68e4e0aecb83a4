import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Hits, RateWindow, SharedPart } from "../core/governance/index.ts";
import type { Listed, Page } from "./store.ts";

/** The counter of the attempts a run and its blocks have open, beside those of agents; an agent has no such name. */
export function runCounter(runId: string): string {
  return `${RUN_COUNTER}${runId}`;
}

export const RUN_COUNTER = "run/";

/** What one run's share of a commit changes at an agent: slots taken and given back, and dispatches in its window. */
export interface SlotChange {
  readonly agentId: string;
  /** Slots taken minus slots given back. */
  readonly delta: number;
  /** The agent's limit, checked when a slot is taken; null: only given back. */
  readonly maxOpen: number | null;
  /** Dispatches at the moments they were made, ascending; none when there is no limit. */
  readonly hits: readonly Hits[];
  /** Null: no limit. */
  readonly rate: RateWindow | null;
}

/** What it changes at an envelope in one of its periods, in micro-dollars. */
export interface LedgerChange {
  readonly envelopeId: string;
  /** Epoch milliseconds. */
  readonly periodStart: number;
  readonly reserved: number;
  readonly spent: number;
  /** Checked when something is reserved: spent + reserved may not pass it. Null: nothing is held to a ceiling. */
  readonly ceiling: number | null;
}

/** What was reserved for an open attempt; given back when it ends. */
export interface Reservation {
  readonly envelopeId: string;
  readonly periodStart: number;
  readonly micros: number;
}

/** One report of cost, as bills are made of it. */
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

/** A verdict as it is kept: facts, trail and the versions of the policies it was made under. */
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

/** A verdict to be kept, with its body as JSON: it is large, and written once, where its hash is taken. */
export type NewVerdict = Omit<StoredVerdict, "body"> & {
  readonly bodyText: string;
  /** What the body names instead of writing it out. */
  readonly shared?: readonly SharedPart[];
};

export type RunVerdict = StoredVerdict & { readonly runId: string };

export interface AgentCounter {
  readonly agentId: string;
  readonly open: number;
  /** Of a run: the limit it was last held to. That of an agent is registered. */
  readonly maxOpen?: number;
  /** Of the last two windows, ascending, one for each moment. */
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
  /** When the bucket begins, epoch milliseconds, UTC. */
  readonly bucketStart: number;
  readonly group: string | null;
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly costMicros: number;
}

/** A place in a window that is taken without a run. */
export interface WindowPlace {
  /** Stands where the id of an agent stands. */
  readonly counter: string;
  readonly rate: RateWindow;
  readonly at: number;
}

export interface GovernanceStore {
  /**
   * Everything that is counted for an organisation, of runs those that have attempts open; envelopes of periods
   * that started at or after `since`.
   */
  readCounters(orgId: string, since: number): Promise<Counters>;
  /** The same of several organisations, by their ids. */
  readCountersOf(orgIds: readonly string[], since: number): Promise<ReadonlyMap<string, Counters>>;
  /** Takes a place in every one of these windows, or in none: false when one of them is full. */
  takePlaces(orgId: string, places: readonly WindowPlace[]): Promise<boolean>;
  /** In the order they were made. */
  verdictsOf(orgId: string, runId: string): Promise<readonly StoredVerdict[]>;
  /** Newest first, for trying a policy on what was: those made at or after `since`. */
  listVerdicts(orgId: string, since: number, page: Page): Promise<Listed<RunVerdict>>;
  usage(orgId: string, query: UsageSelection): Promise<readonly UsageRow[]>;
  /** Writes audit entries under a key, the first time that key is used; false every other time. */
  markOnce(orgId: string, key: string, entry: AuditEntry): Promise<boolean>;
  /**
   * Counts the open attempts of every agent and the reservations in every envelope again from the rows of the open
   * attempts; what differed is set right and returned. Counters of runs that have none open are removed. Safe beside
   * commits and other replicas.
   */
  recount(): Promise<readonly string[]>;
  /**
   * Envelopes of periods that started at or after `since` with more spent than all usage since explains. Only reported:
   * what was spent cannot be counted again once usage is gone.
   */
  unexplainedSpending(since: number): Promise<readonly string[]>;
  /** Deletes at most `limit` usage records made before an instant; returns how many. */
  pruneUsage(before: number, limit: number): Promise<number>;
}
