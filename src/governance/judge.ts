import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Report, RequestVerdict, Verdict } from "../core/engine/index.ts";
import type { Spending } from "../core/governance/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { BookedCost } from "./booked-cost.ts";
import type { LedgerChange, MemoryEntry, NewVerdict, Reservation, SlotChange } from "../store/index.ts";

/**
 * Says whether a node may act, and where. Asked inside the commit, so that nothing is dispatched ungoverned. What a
 * ruling takes is taken at once, for whoever is asked next; it is kept when the commit stands and given back when not.
 */
export interface Judge {
  /** Gathers what is not at hand for these organisations; undefined when everything is. */
  prepare?(orgIds: ReadonlySet<string>): Promise<void> | undefined;
  decide(request: RequestVerdict, about: AboutRun): Ruling;
  /** Where the cost of an attempt is booked, in the period in which it was admitted. */
  settle?(about: AboutRun, attempt: AdmittedAttempt, costMicros: number): readonly LedgerChange[];
  /** What the report of an attempt is booked at; null: as it says. */
  price?(about: AboutRun, nodeId: string, call: PricedCall, report: Report): BookedCost | null;
  /** The name of the memory an agent keeps; null: none. */
  memoryOf?(about: AboutRun, agentId: string): string | null;
  /** The commit stands: what it gave back and spent counts from now on, and who waits for it is woken. */
  committed?(orgId: string, changes: Changes): void;
  /** It does not: what was taken is given back. */
  dropped?(orgId: string, changes: Pick<Changes, "taken">): void;
  /** How nodes that wait are told to ask again; `heard` is called once that is committed, whether they asked or not. */
  onWake?(wake: (waiter: { readonly runId: string; readonly nodeId: string }, heard: () => void) => void): void;
  /** A limit was passed by somebody else: what is counted is read again. */
  reload?(orgId: string): Promise<void>;
}

export interface AboutRun {
  readonly orgId: string;
  readonly runId: string;
  readonly plan: Plan;
  /** As it was started. */
  readonly workflow: string;
  readonly depth: number;
  /** Whose team the run is charged to; absent: none. */
  readonly team?: string | null;
  readonly gateway: string | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly args: JsonObject;
  /** When it is decided, epoch milliseconds. */
  readonly at: number;
  /** The id the next event will have: it makes verdict ids unique. */
  readonly nextEventId: number;
  /** Absent: nothing. */
  readonly returned?: Returned;
}

/** What the run gives back and spends in the very commit that is being decided, where nobody else can see it yet. */
export interface Returned {
  slotsOf(agentId: string): number;
  /** What to add to the counter: `reservedMicros` is never positive. */
  spendingOf(envelopeId: string, periodStart: number): Spending;
  /** What an agent has answered in it, and will remember; in order. */
  memoriesOf(agentId: string): readonly MemoryEntry[];
}

export interface AdmittedAttempt {
  readonly agentId: string | null;
  readonly gatewayId: string | null;
  readonly startedAt: number;
}

export interface PricedCall {
  readonly gatewayId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly startedAt: number;
}

export interface Ruling {
  readonly verdict: Verdict;
  /** Null: nothing was taken. */
  readonly admission: Admission | null;
  /** Null: nothing is kept of it. */
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/** What an allowed attempt takes, all of it or nothing. */
export interface Admission {
  readonly runId: string;
  readonly nodeId: string;
  readonly agentId: string;
  readonly maxOpen: number;
  readonly rate: SlotChange["rate"];
  readonly at: number;
  /** `ceiling` null: counted, and held by nothing. */
  readonly reserved: readonly (Reservation & { readonly ceiling: number | null })[];
}

export interface Changes {
  readonly runId: string;
  /** Nodes whose attempt ended. */
  readonly ended: readonly string[];
  /** Nodes that are done: they wait for nothing any more. */
  readonly settled: readonly string[];
  readonly taken: readonly Admission[];
  readonly slots: readonly SlotChange[];
  readonly ledger: readonly LedgerChange[];
  readonly memories: readonly MemoryEntry[];
}

/** A ruling that takes and keeps nothing. */
export function plainRuling(verdict: Verdict): Ruling {
  return { verdict, admission: null, record: null, audit: [] };
}
