import { Ageing } from "../core/base/index.ts";
import { PRIORITIES } from "../core/event/index.ts";

/** A node that waits because of a limit. */
export interface Waiter {
  readonly runId: string;
  readonly nodeId: string;
}

/** A waiter that was woken to try again. The number distinguishes this call from a later call of the same waiter. */
export interface Call {
  readonly waiter: Waiter;
  readonly number: number;
}

/**
 * Lower ranks are served first. The rank orders by the priority of the run, and within one priority nodes of runs in
 * progress come before nodes of runs that have not done anything yet.
 */
export type Rank = number;

export function rankFor(level: number, isBegun: boolean): Rank {
  return 2 * level + (isBegun ? 0 : 1);
}

const LEVELS = PRIORITIES.length;

function levelOf(rank: Rank): number {
  return rank >> 1;
}

function isNew(rank: Rank): boolean {
  return rank % 2 === 1;
}

interface Place {
  readonly waiter: Waiter;
  readonly rank: Rank;
  /** Number of the unanswered call that woke it; null when it was not woken. */
  call: number | null;
  /** Admitted by a commit that is still under way. The node gets its place back if the commit fails. */
  isServed: boolean;
}

/**
 * How many nodes of runs in progress may go before waiting nodes of new runs, so that a large run does not block them
 * for ever. The limit is lower when fewer nodes of runs in progress wait, because then new runs do not pile up half
 * done.
 */
const OVERTAKES_MAX = 8;
const OVERTAKES_MAX_WHEN_FULL = 64;
const BEGUN_WAITING_FULL = 256;

/**
 * Nodes in this process that wait for a slot or a time window of one agent. Within a rank the order is first come,
 * first served. A node that is checked again and still has to wait keeps its place.
 */
export class AgentQueue {
  readonly #places = Array.from({ length: 2 * LEVELS }, () => new Map<string, Place>());
  /** Number of nodes neither admitted nor called, by rank. */
  readonly #waiting = Array.from({ length: 2 * LEVELS }, () => 0);
  /** Called and not yet admitted, in the order of the calls. */
  readonly #called = new Map<number, Place>();
  #served = 0;
  /** By priority level: how often nodes of runs in progress have gone before nodes of new runs. */
  readonly #overtakes = PRIORITIES.map(() => 0);
  readonly #ageing = new Ageing(LEVELS);
  readonly #hasWaiting = (level: number): boolean => this.#at(2 * level) + this.#at(2 * level + 1) > 0;
  /** True when more nodes of the queue are in the database than in this process. */
  hasBacklog = false;

  /** Number of places, admitted ones included. */
  get held(): number {
    return this.#places.reduce((held, { size }) => held + size, 0);
  }

  /** Number of places with the same priority. */
  heldOf(rank: Rank): number {
    const level = levelOf(rank);
    return (this.#places[2 * level]?.size ?? 0) + (this.#places[2 * level + 1]?.size ?? 0);
  }

  get unserved(): number {
    return this.held - this.#served;
  }

  /** Whether the node has a place, admitted or not. */
  holds(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** Whether the node has a place and is not admitted. */
  has(key: string): boolean {
    return this.#find(key)?.isServed === false;
  }

  /** Number of nodes that are served before this one. The node is admitted only when more slots than that are free. */
  ahead(key: string, rank: Rank): number {
    const own = this.#find(key);
    const ownCall = own?.call ?? null;
    if (ownCall !== null) return this.#calledBefore(ownCall);
    const isKnown = own !== undefined && !own.isServed;
    const level = levelOf(rank);
    let count = this.#called.size + (isKnown ? this.#waitingBefore(key, own.rank) : this.#at(rank));
    for (let before = 0; before < 2 * level; before += 1) count += this.#at(before);
    for (let later = level + 1; later < LEVELS; later += 1)
      if (this.#ageing.isDue(later) && this.#hasWaiting(later)) count += 1;
    if (isNew(rank)) count += this.#at(rank - 1) + (isKnown || !this.hasBacklog ? 0 : 1);
    else if (this.#isTurnOfNew(level)) count += 1;
    return count;
  }

  enter(key: string, waiter: Waiter, rank: Rank): void {
    const own = this.#find(key);
    if (own !== undefined && own.rank !== rank) this.leave(key);
    if (own !== undefined && own.rank === rank) {
      if (own.isServed) this.#served -= 1;
      else if (own.call === null) return;
      this.#uncall(own);
      own.isServed = false;
    } else this.#places[rank]?.set(key, { waiter, rank, call: null, isServed: false });
    this.#add(rank, 1);
  }

  /** Marks the node as admitted by a commit that is under way. */
  serve(key: string, rank: Rank): void {
    const level = levelOf(rank);
    if (isNew(rank)) this.#overtakes[level] = 0;
    else if (this.#at(rank + 1) > 0 || this.hasBacklog) this.#overtakes[level] = (this.#overtakes[level] ?? 0) + 1;
    const place = this.#find(key);
    if ((place?.call ?? null) === null) this.#ageing.served(level, this.#hasWaiting);
    if (place === undefined || place.isServed) return;
    if (place.call === null) this.#add(place.rank, -1);
    else this.#uncall(place);
    place.isServed = true;
    this.#served += 1;
  }

  rankOf(key: string): Rank {
    return this.#find(key)?.rank ?? 0;
  }

  leave(key: string): void {
    const place = this.#find(key);
    if (place === undefined) return;
    if (place.isServed) this.#served -= 1;
    else if (place.call === null) this.#add(place.rank, -1);
    this.#uncall(place);
    this.#places[place.rank]?.delete(key);
  }

  /** Calls waiters until as many calls are open as there are slots. Calls already open count. */
  wake(slots: number, nextCall: () => number): readonly Call[] {
    const calls: Call[] = [];
    const walks = this.#places.map((places) => places.values());
    while (this.#called.size < slots) {
      const rank = this.#nextRank();
      const walk = rank === null ? undefined : walks[rank];
      const place = walk === undefined ? undefined : nextWaiting(walk);
      if (rank === null || place === undefined) break;
      const number = nextCall();
      place.call = number;
      this.#called.set(number, place);
      this.#add(rank, -1);
      if (isNew(rank)) this.#overtakes[levelOf(rank)] = 0;
      this.#ageing.served(levelOf(rank), this.#hasWaiting);
      calls.push({ waiter: place.waiter, number });
    }
    return calls;
  }

  /** Removes a called waiter that did not ask again, because it no longer waits. */
  answered(key: string, number: number): void {
    if (this.#find(key)?.call === number) this.leave(key);
  }

  #find(key: string): Place | undefined {
    for (const places of this.#places) {
      const place = places.get(key);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  #uncall(place: Place): void {
    if (place.call !== null) this.#called.delete(place.call);
    place.call = null;
  }

  #nextRank(): Rank | null {
    const level = this.#ageing.next(this.#hasWaiting);
    if (level === null) return null;
    const [begun, fresh] = [2 * level, 2 * level + 1];
    if (this.#at(begun) === 0) return fresh;
    return this.#isTurnOfNew(level) && this.#at(fresh) > 0 ? fresh : begun;
  }

  #isTurnOfNew(level: number): boolean {
    const [begun, fresh] = [2 * level, 2 * level + 1];
    if (this.#at(fresh) === 0 && !this.hasBacklog) return false;
    const isFull = this.#at(begun) >= BEGUN_WAITING_FULL;
    return (this.#overtakes[level] ?? 0) >= (isFull ? OVERTAKES_MAX_WHEN_FULL : OVERTAKES_MAX);
  }

  #at(rank: Rank): number {
    return this.#waiting[rank] ?? 0;
  }

  #add(rank: Rank, count: number): void {
    this.#waiting[rank] = this.#at(rank) + count;
  }

  #calledBefore(number: number): number {
    let count = 0;
    for (const called of this.#called.keys()) {
      if (called >= number) break;
      count += 1;
    }
    return count;
  }

  #waitingBefore(key: string, rank: Rank): number {
    let count = 0;
    for (const [other, place] of this.#places[rank] ?? []) {
      if (other === key) break;
      if (!place.isServed && place.call === null) count += 1;
    }
    return count;
  }
}

function nextWaiting(places: Iterator<Place>): Place | undefined {
  for (;;) {
    const { value, done } = places.next();
    if (done === true) return undefined;
    if (value.call === null && !value.isServed) return value;
  }
}
