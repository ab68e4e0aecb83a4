import { Ageing } from "../core/base/index.ts";
import { PRIORITIES } from "../core/event/index.ts";

/** A node that a limit made wait. */
export interface Waiter {
  readonly runId: string;
  readonly nodeId: string;
}

/** A waiter on its way to ask again. The number distinguishes this call from a later one of the same waiter. */
export interface Call {
  readonly waiter: Waiter;
  readonly number: number;
}

/**
 * Lower ranks are served first: by the priority of the run, and within one nodes of runs in flight before those of runs
 * of which nothing has been done yet.
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
  /** The call it was woken with and has not answered; null: not woken. */
  call: number | null;
  /** It was admitted by a commit that is under way: it has its place again if the commit fails. */
  isServed: boolean;
}

/**
 * How often a run in flight may go before new ones that wait, so that a large run does not keep them out for ever: the
 * fewer nodes of runs in flight wait, the more new runs can be begun without piling up work half done.
 */
const OVERTAKES_MAX = 8;
const OVERTAKES_MAX_WHEN_FULL = 64;
const BEGUN_WAITING_FULL = 256;

/**
 * Nodes that wait for a slot or a window of one agent, in this process. Within a rank first come, first served; a node
 * keeps its place when it is asked again and has to wait on.
 */
export class AgentQueue {
  readonly #places = Array.from({ length: 2 * LEVELS }, () => new Map<string, Place>());
  /** Unserved and uncalled, by rank. */
  readonly #waiting = Array.from({ length: 2 * LEVELS }, () => 0);
  /** Called and not admitted yet, in the order of their calls. */
  readonly #called = new Map<number, Place>();
  #served = 0;
  /** By level: how often nodes of runs in flight have gone before new ones. */
  readonly #overtakes = PRIORITIES.map(() => 0);
  readonly #ageing = new Ageing(LEVELS);
  readonly #hasWaiting = (level: number): boolean => this.#at(2 * level) + this.#at(2 * level + 1) > 0;
  /** More wait in the database than are held here. */
  hasBacklog = false;

  /** Places held, admitted ones included. */
  get held(): number {
    return this.#places.reduce((held, { size }) => held + size, 0);
  }

  /** Places held by nodes of the same priority. */
  heldOf(rank: Rank): number {
    const level = levelOf(rank);
    return (this.#places[2 * level]?.size ?? 0) + (this.#places[2 * level + 1]?.size ?? 0);
  }

  get unserved(): number {
    return this.held - this.#served;
  }

  /** It has a place, admitted or not. */
  holds(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** It has a place and is not admitted. */
  has(key: string): boolean {
    return this.#find(key)?.isServed === false;
  }

  /** How many are to be served before it: of those it leaves no slot to. */
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

  /** It is admitted, by a commit that is under way. */
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

  /** Calls those for whom so many slots are enough, without those who are on their way already. */
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

  /** The waiter of a call did not ask: it waits for nothing any more. */
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
