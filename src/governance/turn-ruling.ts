import type { AuditEntry } from "../core/audit/index.ts";
import type { RoundVerdict, ToolVerdict } from "../core/engine/index.ts";
import type { Hits, RateWindow } from "../core/governance/index.ts";
import type { NewVerdict, Reservation, SlotChange } from "../store/index.ts";
import type { Admission } from "./judge.ts";

/** What was decided about a tool call. */
export interface ToolRulingResult {
  readonly verdict: ToolVerdict;
  /** Null: nothing was taken. */
  readonly taken: TurnTaking | null;
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/** What was decided about the next round of a turn. */
export interface RoundRulingResult {
  readonly verdict: RoundVerdict;
  /** What the attempt holds from now on, in place of what it has held; null: the turn stops, and holds nothing. */
  readonly reserved: Admission["reserved"] | null;
  readonly taken: TurnTaking | null;
  /** Null: it continues, which is not recorded. */
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/**
 * What the turn of an agent takes while its attempt is open. It counts at once, and is part of the changes that are
 * reported as committed or dropped.
 */
export interface TurnTaking {
  readonly hits: readonly WindowHit[];
  /** Beyond what the attempt held before. */
  readonly reserved: readonly Reservation[];
}

/** A place in a sliding window, which is counted like the dispatches of an agent. */
export interface WindowHit {
  /** Stands where the id of an agent stands, and can be none: it holds a slash. */
  readonly counter: string;
  readonly rate: RateWindow;
  readonly at: number;
}

/** How often an agent has called the tools of a manifest. */
export function toolCounter(rule: string, agentId: string): string {
  return `tool/${rule}/${agentId}`;
}

/** The rows of a commit that count what was taken, one for each counter. */
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
