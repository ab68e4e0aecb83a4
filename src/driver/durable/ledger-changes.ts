import { findNode } from "../../core/engine/index.ts";
import type { EventOf, RunEvent } from "../../core/event/index.ts";
import { repairText } from "../../core/text/index.ts";
import type { AboutRun, Admission, Judge, Returned } from "../../governance/index.ts";
import type {
  AttemptKey,
  LedgerChange,
  MemoryEntry,
  OpenAttempt,
  RunCommit,
  SlotChange,
  UsageRecord,
} from "../../store/index.ts";
import { endedAttempt, keyOf } from "./ended-attempt.ts";
import type { LiveRun } from "./live-run.ts";
import { memoriesOf } from "./memory-entries.ts";

/** What a run's share of a commit takes, gives back and spends. */
export interface Booking {
  readonly live: LiveRun;
  readonly about: AboutRun;
  readonly events: readonly RunEvent[];
  /** What was taken for attempts opened in it. */
  readonly admissions: ReadonlyMap<string, Admission>;
  /** Attempts that ended in it, those it opened included. */
  readonly ended: readonly AttemptKey[];
  readonly judge: Judge;
}

/** Slots, money and usage of one run in one commit; all of it follows from its events and its admissions. */
export function bookOf(booking: Booking): Pick<RunCommit, "slots" | "ledger" | "usage"> {
  const costs = booking.events.filter((event) => event.type === "cost.recorded");
  return {
    slots: slotsOf(booking),
    ledger: ledgerOf(booking, costs),
    usage: costs.flatMap((event) => usageOf(booking, event)),
  };
}

/** What attempts give back of which nobody will hear again. */
export function givenBack(open: readonly OpenAttempt[]): Pick<RunCommit, "slots" | "ledger"> {
  const openAttempts = new Map(open.map((attempt) => [attempt.nodeId, attempt]));
  const held: Holding = { live: { openAttempts }, admissions: new Map(), ended: open };
  return { slots: slotsOf(held), ledger: [...reservationsOf(held).values()] };
}

/** Attempts that began or ended, and what those held that began before. */
interface Holding extends Pick<Booking, "admissions" | "ended"> {
  readonly live: Pick<LiveRun, "openAttempts">;
}

function slotsOf({ live, admissions, ended }: Holding): readonly SlotChange[] {
  const slots = new Map<string, SlotSum>();
  const sumOf = (agentId: string): SlotSum => {
    let sum = slots.get(agentId);
    if (sum === undefined) slots.set(agentId, (sum = { agentId, delta: 0, maxOpen: null, hits: [], rate: null }));
    return sum;
  };
  for (const { agentId, maxOpen, rate, at } of admissions.values()) {
    const sum = sumOf(agentId);
    sum.delta += 1;
    sum.maxOpen = maxOpen;
    if (rate === null) continue;
    sum.rate = rate;
    const last = sum.hits.at(-1);
    if (last?.at === at) last.count += 1;
    else sum.hits.push({ at, count: 1 });
  }
  for (const key of ended) {
    const agentId = admissions.get(keyOf(key))?.agentId ?? heldBy(live, key)?.agentId ?? null;
    if (agentId !== null) sumOf(agentId).delta -= 1;
  }
  return [...slots.values()];
}

/** A run may admit thousands at one moment: they are summed, not listed. */
interface SlotSum extends SlotChange {
  delta: number;
  maxOpen: number | null;
  hits: { readonly at: number; count: number }[];
  rate: SlotChange["rate"];
}

function ledgerOf(booking: Booking, costs: readonly EventOf<"cost.recorded">[]): readonly LedgerChange[] {
  const ledger = reservationsOf(booking);
  for (const event of costs) for (const part of spentBy(booking, event)) change(ledger, part, 0, part.spent);
  for (const [key, ceiling] of ceilingsOf(booking)) {
    const sum = ledger.get(key);
    if (sum !== undefined) sum.ceiling = ceiling;
  }
  return [...ledger.values()];
}

function reservationsOf({ live, admissions, ended }: Holding): Map<string, LedgerSum> {
  const ledger = new Map<string, LedgerSum>();
  for (const { reserved } of admissions.values()) {
    for (const part of reserved) change(ledger, part, part.micros, 0);
  }
  for (const key of ended) {
    const held = admissions.get(keyOf(key))?.reserved ?? heldBy(live, key)?.reserved ?? [];
    for (const part of held) change(ledger, part, -part.micros, 0);
  }
  return ledger;
}

function change(ledger: Map<string, LedgerSum>, envelope: Envelope, reserved: number, spent: number): void {
  const { envelopeId, periodStart } = envelope;
  const key = ledgerKey(envelope);
  const sum = ledger.get(key);
  if (sum === undefined) ledger.set(key, { envelopeId, periodStart, reserved, spent, ceiling: null });
  else {
    sum.reserved += reserved;
    sum.spent += spent;
  }
}

type LedgerSum = { -readonly [K in keyof LedgerChange]: LedgerChange[K] };

/**
 * What all of a commit together may come to, so that each of its reservations keeps the ceiling it was decided under:
 * one counter may have several. Whatever is reserved or spent after a reservation was not there yet when that was
 * decided, and is not held against it; else what was spent late could never be written.
 */
function ceilingsOf(booking: Booking): ReadonlyMap<string, number> {
  const ceilings = new Map<string, number>();
  const hold = (key: string, micros: number, ceiling: number | null): void => {
    const before = ceilings.get(key);
    const sum = Math.min(before === undefined ? Infinity : before + micros, ceiling ?? Infinity);
    if (sum !== Infinity) ceilings.set(key, sum);
  };
  for (const event of booking.events) {
    if (event.type === "node.started") {
      const { nodeId, attempt = 0 } = event.payload;
      for (const part of booking.admissions.get(keyOf({ nodeId, attempt }))?.reserved ?? []) {
        hold(ledgerKey(part), part.micros, part.ceiling);
      }
    } else if (event.type === "cost.recorded") {
      for (const part of spentBy(booking, event)) hold(ledgerKey(part), part.spent, null);
    }
  }
  return ceilings;
}

type Spender = Pick<Booking, "live" | "about" | "judge">;

/** A child's cost was booked where it was spent. */
function spentBy({ live, about, judge }: Spender, { payload, at }: EventOf<"cost.recorded">): readonly LedgerChange[] {
  const { nodeId, attempt = 0, costMicros, childRunId } = payload;
  if (costMicros === 0 || childRunId !== undefined || judge.settle === undefined) return [];
  const begun = findNode(live.state, nodeId)?.routes[attempt - 1];
  const { agentId = null, gatewayId = null, startedAt = at } = begun ?? {};
  return judge.settle(about, { agentId, gatewayId, startedAt }, costMicros);
}

function usageOf({ live }: Pick<Booking, "live">, { payload, at }: EventOf<"cost.recorded">): readonly UsageRecord[] {
  const { nodeId, attempt = 0, costMicros, tokens, childRunId, model, priceId } = payload;
  const sum = tokens.inputTokens + tokens.outputTokens + tokens.thinkingTokens + tokens.cachedTokens + costMicros;
  if (sum === 0 || childRunId !== undefined) return [];
  const begun = findNode(live.state, nodeId)?.routes[attempt - 1];
  return [
    {
      nodeId,
      attempt,
      agentId: begun?.agentId ?? null,
      model: storable(model ?? begun?.model ?? null),
      gatewayId: begun?.gatewayId ?? null,
      ...tokens,
      costMicros,
      priceId: storable(priceId ?? null),
      at,
    },
  ];
}

/** The model is named by whoever reports it; a column takes less than JSON does. */
function storable(text: string | null): string | null {
  return text === null ? null : (repairText(text).value as string);
}

function heldBy(live: Pick<LiveRun, "openAttempts">, { nodeId, attempt }: AttemptKey) {
  const open = live.openAttempts.get(nodeId);
  return open?.attempt === attempt ? open : undefined;
}

/**
 * What a run has given back and spent so far in the commit that is being decided. Its next nodes are judged by that: a
 * slot its last node held is free for them, and money that node spent beyond its reservation is gone.
 */
export class PendingReleases implements Returned {
  readonly #booking: Omit<Booking, "events" | "ended">;
  readonly #ended = new Set<string>();
  readonly #slots = new Map<string, number>();
  readonly #money = new Map<string, Spending>();
  readonly #completed: RunEvent[] = [];

  constructor(booking: Omit<Booking, "events" | "ended">) {
    this.#booking = booking;
  }

  note(events: readonly RunEvent[]): void {
    for (const event of events) {
      const ended = endedAttempt(event);
      if (ended !== undefined) this.#end(ended);
      if (event.type === "node.completed") this.#completed.push(event);
      if (event.type !== "cost.recorded") continue;
      for (const part of spentBy(this.#booking, event)) this.#book(part, part.spent, 0);
    }
  }

  slotsOf(agentId: string): number {
    return this.#slots.get(agentId) ?? 0;
  }

  spendingOf(envelopeId: string, periodStart: number): Spending {
    if (this.#money.size === 0) return NOTHING;
    return this.#money.get(ledgerKey({ envelopeId, periodStart })) ?? NOTHING;
  }

  memoriesOf(agentId: string): readonly MemoryEntry[] {
    return memoriesOf(this.#booking, this.#completed).filter((entry) => entry.agentId === agentId);
  }

  #end(key: AttemptKey): void {
    const { admissions, live } = this.#booking;
    const held = admissions.get(keyOf(key)) ?? heldBy(live, key);
    if (held === undefined || this.#ended.has(keyOf(key))) return;
    this.#ended.add(keyOf(key));
    const { agentId, reserved } = held;
    if (agentId !== null) this.#slots.set(agentId, this.slotsOf(agentId) + 1);
    for (const part of reserved) this.#book(part, 0, -part.micros);
  }

  #book(envelope: Envelope, spent: number, reserved: number): void {
    const { spentMicros, reservedMicros } = this.spendingOf(envelope.envelopeId, envelope.periodStart);
    const after = { spentMicros: spentMicros + spent, reservedMicros: reservedMicros + reserved };
    this.#money.set(ledgerKey(envelope), after);
  }
}

type Spending = ReturnType<Returned["spendingOf"]>;
type Envelope = Pick<LedgerChange, "envelopeId" | "periodStart">;

const NOTHING: Spending = { spentMicros: 0, reservedMicros: 0 };

function ledgerKey({ envelopeId, periodStart }: Envelope): string {
  return `${envelopeId} ${periodStart}`;
}
