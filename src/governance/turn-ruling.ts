import type { AuditEntry } from "../core/audit/index.ts";
import type { RoundVerdict, ToolVerdict } from "../core/engine/index.ts";
import type { Hits, RateWindow } from "../core/governance/index.ts";
import type { NewVerdict, Reservation, SlotChange } from "../store/index.ts";
import type { Admission } from "./judge.ts";

/** The decision on a tool call. */
export interface ToolRulingResult {
  readonly verdict: ToolVerdict;
  /** Null when nothing was taken. */
  readonly taken: TurnTaking | null;
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/** The decision on the next round of a turn. */
export interface RoundRulingResult {
  readonly verdict: RoundVerdict;
  /** The new reservations of the attempt, replacing the old ones; null when the turn stops and holds nothing. */
  readonly reserved: Admission["reserved"] | null;
  readonly taken: TurnTaking | null;
  /** Null when the turn continues, because that is not recorded. */
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/**
 * The rate-window places and money that a turn takes while its attempt is open. They count at once, and are part of the
 * changes reported as committed or dropped.
 */
export interface TurnTaking {
  readonly hits: readonly WindowHit[];
  /** Amounts in addition to what the attempt held before. */
  readonly reserved: readonly Reservation[];
}

/** A hit in a sliding window, counted like the dispatches of an agent. */
export interface WindowHit {
  /** Used in place of an agent id. It contains a slash, so no agent id matches. */
  readonly counter: string;
  readonly rate: RateWindow;
  readonly at: number;
}

/** Returns the counter for an agent's calls to the tools of a manifest. */
export function toolCounter(rule: string, agentId: string): string {
  return `tool/${rule}/${agentId}`;
}

/** Returns the changes to write with a commit, one for each counter. */
export function slotChangesOf(takings: Iterable<TurnTaking>): readonly SlotChange[] {
  const byCounter = new Map<string, { readonly rate: RateWindow; readonly hits: Map<number, number> }>();
  for (const { hits } of takings) {
    for (const { counter, rate, at } of hits) {
      const sum = byCounter.get(counter) ?? { rate, hits: new Map<number, number>() };
      byCounter.set(counter, sum);
      sum.hits.set(at, (sum.hits.get(at) ?? 0) + 1);
    }
  }
  return [...byCounter].map(([agentId, { rate, hits }]) => ({
    agentId,
    delta: 0,
    maxOpen: null,
    hits: [...hits].map(([at, count]): Hits => ({ at, count })).sort((left, right) => left.at - right.at),
    rate,
  }));
}
