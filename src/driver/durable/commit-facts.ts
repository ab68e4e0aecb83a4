import { findNode } from "../../core/engine/index.ts";
import {
  attemptKey,
  type AttemptKey,
  dispatchIdOf,
  type EventOf,
  isSettling,
  type RunEvent,
} from "../../core/event/index.ts";
import { repairText } from "../../core/text/index.ts";
import type { AboutRun, Admission, Judge, Returned } from "../../governance/index.ts";
import {
  type LedgerChange,
  type MemoryRecord,
  type Reservation,
  type RunCommit,
  runCounter,
  type UsageRecord,
} from "../../store/index.ts";
import { endedAttempt } from "./ended-attempt.ts";
import { LedgerChanges, SlotChanges } from "./ledger-changes.ts";
import type { DrivenRun } from "./driven-run.ts";
import { memoryOf } from "./memory-entries.ts";

export interface CommitFactsOptions {
  readonly live: DrivenRun;
  readonly about: AboutRun;
  /** Slots and money taken for attempts that open in this commit, by node and attempt. */
  readonly admissions: ReadonlyMap<string, Admission>;
  readonly judge: Judge;
}

type Spending = ReturnType<Returned["spendingOf"]>;
const NOTHING: Spending = { spentMicros: 0, reservedMicros: 0 };

/** A reservation under a ceiling, or spending (`ceiling` is null), in event order. */
interface MoneyMove {
  readonly part: Pick<LedgerChange, "envelopeId" | "periodStart">;
  readonly micros: number;
  readonly ceiling: number | null;
}

/**
 * The facts that follow from the events of one run in the commit being decided. Each event is read once, when it is decided:
 * - the judge queries the slots released and money spent so far, because a slot that the last node held is free for the next
 * one, and money that node spent beyond its reservation is gone;
 * - the rows of the commit (slots, ledger, usage, memories) are derived from the same sums;
 * - the work after the commit uses the lists of ended attempts and settled nodes.
 */
export class CommitFacts implements Returned {
  readonly events: RunEvent[] = [];
  /** Attempts that have ended, by node and attempt. */
  readonly ended = new Map<string, AttemptKey>();
  /** Dispatch ids of ended executions. The attempt may continue with another execution. */
  readonly endedDispatches: string[] = [];
  readonly settled: string[] = [];
  readonly usage: UsageRecord[] = [];
  readonly memories: MemoryRecord[] = [];
  readonly #options: CommitFactsOptions;
  readonly #releasedSlots = new Map<string, number>();
  readonly #ledger = new LedgerChanges();
  readonly #money: MoneyMove[] = [];
  readonly #reservedAnew = new Map<string, Admission["reserved"]>();

  constructor(options: CommitFactsOptions) {
    this.#options = options;
  }

  add(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      const ended = endedAttempt(event);
      if (ended !== undefined) this.#end(ended);
      if (isSettling(event)) this.settled.push(event.payload.nodeId);
      if (event.type === "node.started") this.#open(event);
      else if (event.type === "node.completed") this.#remember(event);
      else if (event.type === "cost.recorded") this.#spend(event);
    }
  }

  slotsOf(counter: string): number {
    return this.#releasedSlots.get(counter) ?? 0;
  }

  spendingOf(envelopeId: string, periodStart: number): Spending {
    const sum = this.#ledger.of({ envelopeId, periodStart });
    return sum === undefined ? NOTHING : { spentMicros: sum.spent, reservedMicros: sum.reserved };
  }

  memoriesOf(agentId: string): readonly MemoryRecord[] {
    return this.memories.filter((entry) => entry.agentId === agentId);
  }

  /** Returns the reservations of the open attempt of a node. */
  heldBy(nodeId: string): readonly Reservation[] {
    const { admissions, live } = this.#options;
    const open = live.openAttempts.get(nodeId);
    const attempt = findNode(live.state, nodeId)?.attempts ?? 0;
    const taken = this.#reservedAnew.get(nodeId) ?? admissions.get(attemptKey({ nodeId, attempt }))?.reserved;
    return taken ?? (open?.attempt === attempt ? open.reserved : []);
  }

  /** Replaces the reservation of a node by one for the next round of its turn. */
  reserveAnew(nodeId: string, reserved: Admission["reserved"]): void {
    for (const part of this.heldBy(nodeId)) this.#ledger.add(part, -part.micros, 0);
    this.#reservedAnew.set(nodeId, reserved);
    for (const part of reserved) {
      this.#ledger.add(part, part.micros, 0);
      this.#money.push({ part, micros: part.micros, ceiling: part.ceiling });
    }
  }

  /** Returns the new reservations of open attempts, by node. */
  reservedAnew(): Iterable<readonly [string, Admission["reserved"]]> {
    return this.#reservedAnew;
  }

  /** Returns the counter changes after all decisions: admissions minus releases, and spending. */
  counterChanges(): Pick<RunCommit, "slots" | "ledger"> {
    const slots = new SlotChanges();
    const ledger = new LedgerChanges();
    for (const admission of this.#options.admissions.values()) {
      slots.admit(admission);
      for (const part of admission.reserved) ledger.add(part, part.micros, 0);
    }
    for (const [agentId, count] of this.#releasedSlots) slots.release(agentId, count);
    for (const change of this.#ledger.list()) ledger.add(change, change.reserved, change.spent);
    this.#holdCeilings(ledger);
    return { slots: slots.list(), ledger: ledger.list() };
  }

  #open({ payload: { nodeId, attempt = 0 } }: EventOf<"node.started">): void {
    const id = attemptKey({ nodeId, attempt });
    // An attempt that was paused in this commit continues, and may also end in it.
    this.ended.delete(id);
    const admission = this.#options.admissions.get(id);
    for (const part of admission?.reserved ?? []) {
      this.#money.push({ part, micros: part.micros, ceiling: part.ceiling });
    }
  }

  #end(key: AttemptKey): void {
    const id = attemptKey(key);
    const { admissions, live } = this.#options;
    // An attempt may have two ending events (retried, then cancelled or refused its next try) but ends once.
    if (this.ended.has(id)) return;
    this.ended.set(id, key);
    const { segment = 0 } = findNode(live.state, key.nodeId)?.turn ?? {};
    this.endedDispatches.push(dispatchIdOf({ runId: live.state.runId, ...key, segment }));
    const open = live.openAttempts.get(key.nodeId);
    const held = admissions.get(id) ?? (open?.attempt === key.attempt ? open : undefined);
    if (held === undefined) return;
    const { agentId } = held;
    const reserved = this.#reservedAnew.get(key.nodeId) ?? held.reserved;
    this.#reservedAnew.delete(key.nodeId);
    if (agentId !== null) this.#release(agentId);
    const parallelOf = "runId" in held ? held.parallel?.runId : held.parallelOf;
    if (parallelOf !== undefined) this.#release(runCounter(parallelOf));
    for (const part of reserved) this.#ledger.add(part, -part.micros, 0);
  }

  #release(counter: string): void {
    this.#releasedSlots.set(counter, this.slotsOf(counter) + 1);
  }

  #remember(event: EventOf<"node.completed">): void {
    const entry = memoryOf(this.#options, event);
    if (entry !== undefined) this.memories.push(entry);
  }

  #spend(event: EventOf<"cost.recorded">): void {
    const { live, about, judge } = this.#options;
    const { nodeId, attempt = 0, costMicros, tokens, childRunId, model, priceId } = event.payload;
    // The cost of a child run was recorded in the child run.
    if (childRunId !== undefined) return;
    const begun = findNode(live.state, nodeId)?.routes[attempt - 1];
    const { agentId = null, gatewayId = null, startedAt = event.at } = begun ?? {};
    if (costMicros !== 0) {
      for (const part of judge.settle?.(about, { agentId, gatewayId, startedAt }, costMicros) ?? []) {
        this.#ledger.add(part, 0, part.spent);
        this.#money.push({ part, micros: part.spent, ceiling: null });
      }
    }
    const used = tokens.inputTokens + tokens.outputTokens + tokens.thinkingTokens + tokens.cachedTokens + costMicros;
    if (used === 0) return;
    this.usage.push({
      nodeId,
      attempt,
      agentId,
      model: storable(model ?? begun?.model ?? null),
      gatewayId,
      ...tokens,
      costMicros,
      priceId: storable(priceId ?? null),
      at: event.at,
    });
  }

  /**
   * Sets the ceiling for the total of the commit per counter, so that each reservation keeps the ceiling under which it was
   * decided: one counter may have several. Amounts reserved or spent after a reservation did not exist when it was decided and
   * do not count against it. Otherwise money spent late could never be recorded.
   */
  #holdCeilings(ledger: LedgerChanges): void {
    for (const { part, micros, ceiling } of this.#money) {
      const sum = ledger.of(part);
      if (sum === undefined) continue;
      const before = sum.ceiling === null ? Infinity : sum.ceiling + micros;
      const held = Math.min(before, ceiling ?? Infinity);
      if (held !== Infinity) sum.ceiling = held;
    }
  }
}

/** A Bridge reports the name of the model, and a text column accepts fewer characters than JSON. */
function storable(text: string | null): string | null {
  return text === null ? null : (repairText(text).value as string);
}
