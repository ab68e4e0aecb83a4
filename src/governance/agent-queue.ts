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

/** Nodes of runs in flight are served before those of runs of which nothing has been done yet. */
export const BEGUN_RANK = 0;
export const NEW_RANK = 1;
export type Rank = typeof BEGUN_RANK | typeof NEW_RANK;

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
  readonly #places: readonly [Map<string, Place>, Map<string, Place>] = [new Map(), new Map()];
  /** Unserved and uncalled, by rank. */
  readonly #waiting: [number, number] = [0, 0];
  /** Called and not admitted yet, in the order of their calls. */
  readonly #called = new Map<number, Place>();
  #served = 0;
  #overtakes = 0;
  /** More wait in the database than are held here. */
  hasBacklog = false;

  /** Places held, admitted ones included. */
  get held(): number {
    return this.#places[BEGUN_RANK].size + this.#places[NEW_RANK].size;
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
    let count = this.#called.size + (isKnown ? this.#waitingBefore(key, own.rank) : this.#waiting[rank]);
    if (rank === NEW_RANK) count += this.#waiting[BEGUN_RANK] + (isKnown || !this.hasBacklog ? 0 : 1);
    else if (this.#isTurnOfNew()) count += 1;
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
    } else this.#places[rank].set(key, { waiter, rank, call: null, isServed: false });
    this.#waiting[rank] += 1;
  }

  /** It is admitted, by a commit that is under way. */
  serve(key: string, rank: Rank): void {
    if (rank === NEW_RANK) this.#overtakes = 0;
    else if (this.#waiting[NEW_RANK] > 0 || this.hasBacklog) this.#overtakes += 1;
    const place = this.#find(key);
    if (place === undefined || place.isServed) return;
    if (place.call === null) this.#waiting[place.rank] -= 1;
    else this.#uncall(place);
    place.isServed = true;
    this.#served += 1;
  }

  rankOf(key: string): Rank {
    return this.#find(key)?.rank ?? BEGUN_RANK;
  }

  leave(key: string): void {
    const place = this.#find(key);
    if (place === undefined) return;
    if (place.isServed) this.#served -= 1;
    else if (place.call === null) this.#waiting[place.rank] -= 1;
    this.#uncall(place);
    this.#places[place.rank].delete(key);
  }

  /** Calls those for whom so many slots are enough, without those who are on their way already. */
  wake(slots: number, nextCall: () => number): readonly Call[] {
    const calls: Call[] = [];
    const walks = [this.#places[BEGUN_RANK].values(), this.#places[NEW_RANK].values()] as const;
    while (this.#called.size < slots) {
      const rank = this.#nextRank();
      const place = rank === null ? undefined : nextWaiting(walks[rank]);
      if (rank === null || place === undefined) break;
      const number = nextCall();
      place.call = number;
      this.#called.set(number, place);
      this.#waiting[rank] -= 1;
      if (rank === NEW_RANK) this.#overtakes = 0;
      calls.push({ waiter: place.waiter, number });
    }
    return calls;
  }

  /** The waiter of a call did not ask: it waits for nothing any more. */
  answered(key: string, number: number): void {
    if (this.#find(key)?.call === number) this.leave(key);
  }

  #find(key: string): Place | undefined {
    return this.#places[BEGUN_RANK].get(key) ?? this.#places[NEW_RANK].get(key);
  }

  #uncall(place: Place): void {
    if (place.call !== null) this.#called.delete(place.call);
    place.call = null;
  }

  #nextRank(): Rank | null {
    if (this.#waiting[BEGUN_RANK] === 0) return this.#waiting[NEW_RANK] === 0 ? null : NEW_RANK;
    return this.#isTurnOfNew() && this.#waiting[NEW_RANK] > 0 ? NEW_RANK : BEGUN_RANK;
  }

  #isTurnOfNew(): boolean {
    if (this.#waiting[NEW_RANK] === 0 && !this.hasBacklog) return false;
    const isFull = this.#waiting[BEGUN_RANK] >= BEGUN_WAITING_FULL;
    return this.#overtakes >= (isFull ? OVERTAKES_MAX_WHEN_FULL : OVERTAKES_MAX);
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
    for (const [other, place] of this.#places[rank]) {
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
