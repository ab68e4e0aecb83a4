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
 * Decides whether a node may act, and where. Asked inside the commit, so that nothing is dispatched ungoverned. What a
 * ruling takes is taken at once, for the next request; it is kept when the commit stands and given back when not.
 */
export interface Judge {
  /** Gathers what is not at hand for these organisations; undefined when everything is. */
  prepare?(orgIds: ReadonlySet<string>): Promise<void> | undefined;
  decide(request: RequestVerdict, about: AboutRun): Ruling;
  /** May this tool call be made? Absent: every one may, as `execute`. */
  decideTool?(request: RequestToolVerdict, about: AboutRun): ToolRulingResult;
  /** May the turn have another round? `held` is what its attempt holds. Absent: it may. */
  decideRound?(request: RequestRoundVerdict, about: AboutRun, held: readonly Reservation[]): RoundRulingResult;
  /** It counts the nodes of a run and of its blocks together, by `AboutRun.parallel`. */
  readonly countsBlocks?: boolean;
  /** The agents of an organisation that is prepared, by id. */
  agentsOf?(orgId: string): Moment["agents"];
  /** Whether its workflow or the whole organisation is paused; asked once the organisation is prepared. */
  isPaused?(orgId: string, workflow: string): boolean;
  /** Where a run that starts now belongs; asked once the organisation is prepared. */
  place?(orgId: string, run: PlacedRun): Placement;
  /** Where the cost of an attempt is booked, in the period in which it was admitted. */
  settle?(about: AboutRun, attempt: AdmittedAttempt, costMicros: number): readonly LedgerChange[];
  /** What the report of an attempt is booked at; null: as reported. */
  price?(about: AboutRun, nodeId: string, call: PricedCall, report: Report): BookedCost | null;
  /** What a completed attempt is charged in credits; null: nothing is. */
  creditsOf?(about: AboutRun, spent: ChargeableUsage): number | null;
  /** The name of the memory an agent keeps; null: none. */
  memoryOf?(about: AboutRun, agentId: string): string | null;
  /** The commit stands: what it gave back and spent counts from now on, and who waits for it is woken. */
  committed?(orgId: string, changes: Changes): void;
  /** It does not: what was taken is given back. */
  dropped?(orgId: string, changes: Pick<Changes, "taken" | "takenInTurns">): void;
  /** The replica whose nodes it judges. */
  attach?(replica: JudgedReplica): void;
  /** A limit was passed by another replica: what is counted is read again. */
  reload?(orgId: string): Promise<void>;
}

export interface JudgedReplica {
  readonly replicaId: () => string;
  /** Makes a waiting node ask again; `onCommitted` is called once that is committed, whether it asked or not. */
  wake(waiter: { readonly runId: string; readonly nodeId: string }, onCommitted: () => void): void;
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
  /** What was registered when it started; absent: what is registered now. */
  readonly placement?: Placement | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly args: JsonObject;
  /** Something of the run has been done already, or another run waits for it: its nodes go before those of new runs. */
  readonly isBegun: boolean;
  /** Default: `normal`. */
  readonly priority?: Priority;
  /** When it is decided, epoch milliseconds. */
  readonly at: number;
  /** The id the next event will have: it makes verdict ids unique. */
  readonly nextEventId: number;
  /** Absent: nothing. */
  readonly returned?: Returned | undefined;
  /** The run whose `max_parallel` its nodes share with the blocks of that run; absent: none. */
  readonly parallel?: SharedParallel | undefined;
}

/** How many attempts a run and its blocks may have open together. */
export interface SharedParallel {
  readonly runId: string;
  readonly limit: number;
}

/** What the run gives back and spends in the very commit that is being decided, where no other run can see it yet. */
export interface Returned {
  /** Of an agent, or of a run that counts for its blocks. */
  slotsOf(counter: string): number;
  /** What to add to the counter. */
  spendingOf(envelopeId: string, periodStart: number): Spending;
  /** What an agent has answered in it, and will remember; in order. */
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

/** Where a node stands that a limit made wait. */
export interface QueuePlace {
  readonly queue: string;
  /** Lower ranks are served first. */
  readonly rank: number;
  /** False: this replica has enough waiting nodes in memory, so that it stands in the backlog until one claims it. */
  readonly isClaimed: boolean;
  /** It did not stand there before. */
  readonly isMoved: boolean;
}

export interface Ruling {
  readonly verdict: Verdict;
  /** Null: it need not wait. */
  readonly place: QueuePlace | null;
  /** Null: nothing was taken. */
  readonly admission: Admission | null;
  /** Places in the windows of the tool that the node calls; absent: none. */
  readonly taken?: TurnTaking;
  /** Null: nothing is kept of it. */
  readonly record: NewVerdict | null;
  readonly audit: readonly AuditEntry[];
}

/** What is kept of a verdict. */
export type RulingRecord = Pick<Ruling, "record" | "audit">;

/** What an allowed attempt takes, all of it or nothing. */
export interface Admission {
  readonly runId: string;
  readonly nodeId: string;
  readonly agentId: string;
  readonly maxOpen: number;
  /** Absent: it counts only in its own run. */
  readonly parallel?: SharedParallel;
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
  /** What turns have taken in it; absent: nothing. */
  readonly takenInTurns?: readonly TurnTaking[];
  readonly slots: readonly SlotChange[];
  readonly ledger: readonly LedgerChange[];
  readonly memories: readonly MemoryRecord[];
}

/** A ruling that takes and keeps nothing. */
export function plainRuling(verdict: Verdict): Ruling {
  return { verdict, place: null, admission: null, record: null, audit: [] };
}
