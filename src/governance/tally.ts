import {
  addHits,
  countSince,
  type Hits,
  expiryOfOldest,
  type RateFact,
  type RateWindow,
  type Spending,
} from "../core/governance/index.ts";
import { type Counters, RUN_COUNTER, runCounter } from "../store/index.ts";
import type { Admission, Changes } from "./judge.ts";
import type { TurnTaking } from "./turn-ruling.ts";

interface AgentTally {
  /** Open attempts according to the database. */
  open: number;
  /** The last limit applied to the counter; undefined when unknown. */
  maxOpen?: number | undefined;
  hits: readonly Hits[];
  /** Slots taken by decisions whose commit is under way. */
  taken: number;
  /** Hits by time, not committed yet. Each may be given back, so they are not part of `hits`. */
  readonly takenHits: Map<number, number>;
  /** Holders of slots known to this process, for explanations. */
  readonly holders: Map<string, { readonly runId: string; readonly nodeId: string }>;
}

interface EnvelopeTally {
  spent: number;
  reserved: number;
  taken: number;
}

type RateLimit = Pick<RateFact, "count" | "perSeconds">;

const HOLDERS_MAX = 1_000;

/**
 * The counters of one organisation in memory: committed values, and amounts taken by commits under way. The database
 * decides: a commit that would exceed a limit there fails, and the counters are read again.
 */
export class Tally {
  readonly #agents = new Map<string, AgentTally>();
  /** By envelope id, then by start of the period. */
  readonly #envelopes = new Map<string, Map<number, EnvelopeTally>>();

  /** Replaces the committed values. Amounts being taken stay. */
  load({ agents, envelopes }: Counters): void {
    for (const tally of this.#agents.values()) Object.assign(tally, { open: 0, hits: [] });
    for (const periods of this.#envelopes.values()) {
      for (const tally of periods.values()) Object.assign(tally, { spent: 0, reserved: 0 });
    }
    for (const { agentId, open, maxOpen, hits } of agents) Object.assign(this.#agent(agentId), { open, maxOpen, hits });
    for (const { envelopeId, periodStart, spent, reserved } of envelopes) {
      Object.assign(this.#envelope(envelopeId, periodStart), { spent, reserved });
    }
    // Counters of runs that count nothing are deleted, because runs come and go.
    for (const [counter, { open, taken }] of this.#agents) {
      if (counter.startsWith(RUN_COUNTER) && open === 0 && taken === 0) this.#agents.delete(counter);
    }
  }

  /** Whether a commit that takes something is under way. */
  get isTaking(): boolean {
    for (const { taken, takenHits } of this.#agents.values()) if (taken !== 0 || takenHits.size > 0) return true;
    return false;
  }

  openOf(agentId: string): number {
    const tally = this.#agents.get(agentId);
    return tally === undefined ? 0 : tally.open + tally.taken;
  }

  /** Returns the last limit applied to the counter. */
  limitOf(counter: string): number | undefined {
    return this.#agents.get(counter)?.maxOpen;
  }

  holdersOf(agentId: string, count: number): readonly { readonly runId: string; readonly nodeId: string }[] {
    const holders = this.#agents.get(agentId)?.holders.values() ?? [];
    const found: { readonly runId: string; readonly nodeId: string }[] = [];
    for (const holder of holders) {
      if (found.length === count) break;
      found.push(holder);
    }
    return found;
  }

  /**
   * Returns the dispatches in the window that ends now, and when the next one fits if the window is full. Places for
   * the `ahead` nodes in front are reserved: for later nodes, a window without further places is full.
   */
  windowOf(agentId: string, { count, windowMs }: RateWindow, at: number, ahead = 0): Omit<RateFact, keyof RateLimit> {
    const tally = this.#agents.get(agentId);
    const since = at - windowMs;
    const inside = tally === undefined ? 0 : countSince(tally.hits, since) + countTakenSince(tally.takenHits, since);
    if (inside + ahead < count) return { used: inside, freesAt: null };
    const hits = tally === undefined ? [] : hitsSince(tally, since);
    return { used: Math.max(inside, count), freesAt: expiryOfOldest(hits, inside + ahead - count + 1, windowMs) };
  }

  /** Returns the time for a new hit. Hits must be in order, so a replica whose clock is behind uses the time of the last hit. */
  hitAt(agentId: string, at: number): number {
    const tally = this.#agents.get(agentId);
    if (tally === undefined) return at;
    let newest = Math.max(at, tally.hits.at(-1)?.at ?? at);
    for (const taken of tally.takenHits.keys()) newest = Math.max(newest, taken);
    return newest;
  }

  spendingOf(envelopeId: string, periodStart: number): Spending {
    const tally = this.#envelopes.get(envelopeId)?.get(periodStart);
    return { spentMicros: tally?.spent ?? 0, reservedMicros: (tally?.reserved ?? 0) + (tally?.taken ?? 0) };
  }

  take({ agentId, rate, at, reserved, runId, nodeId, parallel }: Admission): void {
    const tally = this.#agent(agentId);
    tally.taken += 1;
    if (parallel !== undefined) {
      const ofRun = this.#agent(runCounter(parallel.runId));
      ofRun.taken += 1;
      ofRun.maxOpen = parallel.limit;
      ofRun.holders.set(`${runId}/${nodeId}`, { runId, nodeId });
    }
    if (rate !== null) tally.takenHits.set(at, (tally.takenHits.get(at) ?? 0) + 1);
    if (tally.holders.size < HOLDERS_MAX) tally.holders.set(`${runId}/${nodeId}`, { runId, nodeId });
    for (const { envelopeId, periodStart, micros } of reserved) this.#envelope(envelopeId, periodStart).taken += micros;
  }

  /** Takes hits and amounts while an attempt is open. The attempt already has its slot. */
  takeInTurn({ hits, reserved }: TurnTaking): void {
    for (const { counter, at } of hits) {
      const { takenHits } = this.#agent(counter);
      takenHits.set(at, (takenHits.get(at) ?? 0) + 1);
    }
    for (const { envelopeId, periodStart, micros } of reserved) this.#envelope(envelopeId, periodStart).taken += micros;
  }

  undoTurnAdmission({ hits, reserved }: TurnTaking): void {
    for (const { counter, at } of hits) removeHit(this.#agent(counter).takenHits, at);
    for (const { envelopeId, periodStart, micros } of reserved) this.#envelope(envelopeId, periodStart).taken -= micros;
  }

  /** The commit failed. */
  undoAdmission(admission: Admission): void {
    this.#untake(admission);
    const { agentId, runId, nodeId, parallel } = admission;
    this.#agent(agentId).holders.delete(`${runId}/${nodeId}`);
    if (parallel !== undefined) this.#agent(runCounter(parallel.runId)).holders.delete(`${runId}/${nodeId}`);
  }

  commit({ runId, taken, takenInTurns = [], slots, ledger, ended }: Changes): void {
    for (const admission of taken) this.#untake(admission);
    for (const taking of takenInTurns) this.undoTurnAdmission(taking);
    for (const { agentId, delta, hits, rate } of slots) {
      const tally = this.#agent(agentId);
      tally.open += delta;
      if (rate !== null && hits.length > 0) tally.hits = addHits(tally.hits, hits, rate, rate.windowMs);
      for (const nodeId of ended) tally.holders.delete(`${runId}/${nodeId}`);
    }
    for (const { envelopeId, periodStart, spent, reserved } of ledger) {
      const tally = this.#envelope(envelopeId, periodStart);
      tally.spent += spent;
      tally.reserved += reserved;
    }
  }

  #untake({ agentId, rate, at, reserved, parallel }: Admission): void {
    const tally = this.#agent(agentId);
    tally.taken -= 1;
    if (parallel !== undefined) this.#agent(runCounter(parallel.runId)).taken -= 1;
    if (rate !== null) removeHit(tally.takenHits, at);
    for (const { envelopeId, periodStart, micros } of reserved) this.#envelope(envelopeId, periodStart).taken -= micros;
  }

  #agent(agentId: string): AgentTally {
    let tally = this.#agents.get(agentId);
    if (tally === undefined) {
      tally = { open: 0, hits: [], taken: 0, takenHits: new Map(), holders: new Map() };
      this.#agents.set(agentId, tally);
    }
    return tally;
  }

  #envelope(envelopeId: string, periodStart: number): EnvelopeTally {
    let periods = this.#envelopes.get(envelopeId);
    if (periods === undefined) this.#envelopes.set(envelopeId, (periods = new Map<number, EnvelopeTally>()));
    let tally = periods.get(periodStart);
    if (tally === undefined) periods.set(periodStart, (tally = { spent: 0, reserved: 0, taken: 0 }));
    return tally;
  }
}

function removeHit(taken: Map<number, number>, at: number): void {
  const count = taken.get(at) ?? 0;
  if (count > 1) taken.set(at, count - 1);
  else taken.delete(at);
}

function countTakenSince(taken: ReadonlyMap<number, number>, since: number): number {
  let inside = 0;
  for (const [at, count] of taken) if (at > since) inside += count;
  return inside;
}

/** Returns all hits, in order of time. */
function hitsSince({ hits, takenHits }: AgentTally, since: number): readonly Hits[] {
  const inside = hits.filter(({ at }) => at > since);
  for (const [at, count] of takenHits) if (at > since) inside.push({ at, count });
  return inside.sort((left, right) => left.at - right.at);
}
