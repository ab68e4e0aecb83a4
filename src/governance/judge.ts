import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type {
  Moment,
  Report,
  RequestRoundVerdict,
  RequestToolVerdict,
  RequestVerdict,
  Verdict,
} from "../core/engine/index.ts";
import type { Placement, Priority } from "../core/event/index.ts";
import type { Spending, ChargeableUsage } from "../core/governance/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { PlacedRun } from "./placement.ts";
import type { BookedCost } from "./booked-cost.ts";
import type { RoundRulingResult, ToolRulingResult, TurnTaking } from "./turn-ruling.ts";
import type { LedgerChange, MemoryRecord, NewVerdict, Reservation, SlotChange } from "../store/index.ts";

/**
 * Decides whether and where a node may run. Called inside the commit, so that nothing is dispatched without a verdict.
 * Slots and money that a ruling takes are counted immediately for the next request, kept when the commit succeeds, and
 * given back when it fails.
 */
export interface Judge {
  /** Loads missing data of these organisations; undefined when everything is loaded. */
  prepare?(orgIds: ReadonlySet<string>): Promise<void> | undefined;
  decide(request: RequestVerdict, about: AboutRun): Ruling;
  /** Decides whether a tool call may be made. Absent: every call is allowed, as `execute`. */
  decideTool?(request: RequestToolVerdict, about: AboutRun): ToolRulingResult;
  /** Decides whether a turn may have another round. `held` is what its attempt has reserved. Absent: always allowed. */
  decideRound?(request: RequestRoundVerdict, about: AboutRun, held: readonly Reservation[]): RoundRulingResult;
  /** True when nodes of a run and of its blocks are counted together, by `AboutRun.parallel`. */
  readonly countsBlocks?: boolean;
  /** The agents of a prepared organisation, by id. */
  agentsOf?(orgId: string): Moment["agents"];
  /** Whether the workflow or the whole organisation is paused. Needs a prepared organisation. */
  isPaused?(orgId: string, workflow: string): boolean;
  /** Whether nodes of the organisation wait in this process for a slot or a rate window. Absent: none ever waits. */
  hasWaiting?(orgId: string): boolean;
  /** Returns the placement of a run that starts now. Needs a prepared organisation. */
  place?(orgId: string, run: PlacedRun): Placement;
  /** Returns where the cost of an attempt is booked, in the period of its admission. */
  settle?(about: AboutRun, attempt: AdmittedAttempt, costMicros: number): readonly LedgerChange[];
  /** Returns the cost to book for a report; null to book it as reported. */
  price?(about: AboutRun, nodeId: string, call: PricedCall, report: Report): BookedCost | null;
  /** Returns the credits charged for a completed attempt; null for none. */
  creditsOf?(about: AboutRun, spent: ChargeableUsage): number | null;
  /** Returns the name of an agent's memory; null when it has none. */
  memoryOf?(about: AboutRun, agentId: string): string | null;
  /** The commit succeeded: its releases and spending count from now on, and waiting nodes are woken. */
  committed?(orgId: string, changes: Changes): void;
  /** The commit failed: what was taken is given back. */
  dropped?(orgId: string, changes: Pick<Changes, "taken" | "takenInTurns">): void;
  /** Sets the replica whose nodes are judged. */
  attach?(replica: JudgedReplica): void;
  /** Another replica exceeded a limit, so the counters are read again. */
  reload?(orgId: string): Promise<void>;
}

export interface JudgedReplica {
  readonly replicaId: () => string;
  /** Makes a waiting node ask again. `onCommitted` is called after that commit, whether or not the node asked. */
  wake(waiter: { readonly runId: string; readonly nodeId: string }, onCommitted: () => void): void;
}

export interface AboutRun {
  readonly orgId: string;
  readonly runId: string;
  readonly plan: Plan;
  /** Name under which the run was started. */
  readonly workflow: string;
  readonly depth: number;
  /** The team the run is charged to; absent for none. */
  readonly team?: string | null;
  readonly gateway: string | null;
  /** The configuration pinned at its start; absent to use the current one. */
  readonly placement?: Placement | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly args: JsonObject;
  /** True when the run has done something, or another run waits for it. Its nodes then go before those of new runs. */
  readonly isBegun: boolean;
  /** Default: `normal`. */
  readonly priority?: Priority;
  /** Time of the decision, epoch milliseconds. */
  readonly at: number;
  /** Id of the next event, which makes verdict ids unique. */
  readonly nextEventId: number;
  /** Absent when the run gives nothing back. */
  readonly returned?: Returned | undefined;
  /** The run whose `max_parallel` limit is shared by its blocks; absent for none. */
  readonly parallel?: SharedParallel | undefined;
}

/** Limit on open attempts of a run together with its blocks. */
export interface SharedParallel {
  readonly runId: string;
  readonly limit: number;
}

/** Slots and money that the run gives back or spends in the commit being decided. No other run can see it yet. */
export interface Returned {
  /** Slots of an agent, or of a run that counts for its blocks. */
  slotsOf(counter: string): number;
  /** Amounts to add to the counter. */
  spendingOf(envelopeId: string, periodStart: number): Spending;
  /** Answers of an agent in this commit that it will remember, in order. */
  memoriesOf(agentId: string): readonly MemoryRecord[];
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

/** The place of a node that waits because of a limit. */
export interface QueuePlace {
  readonly queue: string;
  /** Lower ranks are served first. */
  readonly rank: number;
  /** False when this replica already holds enough waiting nodes. The node then stays in the database until a replica claims it. */
  readonly isClaimed: boolean;
  /** True when the place is new. */
  readonly isMoved: boolean;
}

export interface Ruling {
  readonly verdict: Verdict;
  /** Null when the node need not wait. */
  readonly place: QueuePlace | null;
  /** Null when nothing was taken. */
  readonly admission: Admission | null;
  /** Places in rate windows of the tool that the node calls; absent for none. */
  readonly taken?: TurnTaking;
  /** Null when the verdict is not recorded. */
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/** The stored part of a ruling. */
export type RulingRecord = Pick<Ruling, "record" | "audit">;

/** The slot, rate-window place and money that an allowed attempt takes, all or nothing. */
export interface Admission {
  readonly runId: string;
  readonly nodeId: string;
  readonly agentId: string;
  readonly maxOpen: number;
  /** Absent when the attempt counts only in its own run. */
  readonly parallel?: SharedParallel;
  readonly rate: SlotChange["rate"];
  readonly at: number;
  /** `ceiling` is null when the amount is only counted, not limited. */
  readonly reserved: readonly (Reservation & { readonly ceiling: number | null })[];
}

export interface Changes {
  readonly runId: string;
  /** Nodes whose attempt ended. */
  readonly ended: readonly string[];
  /** Settled nodes, which wait for nothing any more. */
  readonly settled: readonly string[];
  readonly taken: readonly Admission[];
  /** Places and money that turns took in this commit; absent for none. */
  readonly takenInTurns?: readonly TurnTaking[];
  readonly slots: readonly SlotChange[];
  readonly ledger: readonly LedgerChange[];
  readonly memories: readonly MemoryRecord[];
}

/** Returns a ruling that takes and records nothing. */
export function plainRuling(verdict: Verdict): Ruling {
  return { verdict, place: null, admission: null, record: null, audit: [] };
}
