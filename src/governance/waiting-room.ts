/** A node that a limit made wait. */
export interface Waiter {
  readonly runId: string;
  readonly nodeId: string;
}

/** A waiter on its way to ask again. The number tells this call from a later one of the same waiter. */
export interface Call {
  readonly waiter: Waiter;
  readonly number: number;
}

interface Place {
  readonly waiter: Waiter;
  /** The call it was woken with and has not answered; null: not woken. */
  call: number | null;
  comingUntil: number;
  /** It was let in, by a commit that is under way: nobody waits behind it, and it has its place if the commit fails. */
  isServed: boolean;
}

interface Queue {
  readonly places: Map<string, Place>;
  served: number;
}

/** Who answers a call says so; one whose answer never comes must not keep its place for ever. */
const COMING_MS = 5_000;

/** Who waits for a slot or a window of which agent, in this process: first come, first served. */
export class WaitingRoom {
  /** By agent, then by node; a node keeps its place when it is asked again and has to wait on. */
  readonly #queues = new Map<string, Queue>();
  /** A node waits for one agent at a time. */
  readonly #agentOf = new Map<string, string>();
  #calls = 0;

  get size(): number {
    let size = 0;
    for (const { places, served } of this.#queues.values()) size += places.size - served;
    return size;
  }

  agents(): readonly string[] {
    return [...this.#queues.keys()];
  }

  hasAny(agent: string): boolean {
    return this.#queues.has(agent);
  }

  has(agent: string, waiter: Waiter): boolean {
    return this.#queues.get(agent)?.places.get(keyOf(waiter))?.isServed === false;
  }

  isAnywhere(waiter: Waiter): boolean {
    return this.#agentOf.has(keyOf(waiter));
  }

  /** How many were here before it: whoever comes first is served first, so that their slots are not to be had. */
  ahead(agent: string, waiter: Waiter): number {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return 0;
    const own = keyOf(waiter);
    if (!queue.places.has(own)) return queue.places.size - queue.served;
    let count = 0;
    for (const [key, { isServed }] of queue.places) {
      if (key === own) break;
      if (!isServed) count += 1;
    }
    return count;
  }

  /** It was asked, and has to wait on. */
  enter(agent: string, waiter: Waiter): void {
    const key = keyOf(waiter);
    if (this.#agentOf.get(key) !== agent) this.leave(waiter);
    let queue = this.#queues.get(agent);
    if (queue === undefined) this.#queues.set(agent, (queue = { places: new Map(), served: 0 }));
    if (queue.places.get(key)?.isServed === true) queue.served -= 1;
    queue.places.set(key, { waiter, call: null, comingUntil: 0, isServed: false });
    this.#agentOf.set(key, agent);
  }

  /** It was asked, and let in; it leaves when that is committed, and waits on when it is not. */
  serve(agent: string, waiter: Waiter): void {
    const key = keyOf(waiter);
    if (this.#agentOf.get(key) !== agent) return this.leave(waiter);
    const queue = this.#queues.get(agent);
    const place = queue?.places.get(key);
    if (queue === undefined || place === undefined || place.isServed) return;
    Object.assign(place, { isServed: true, call: null });
    queue.served += 1;
  }

  /** What let it in does not stand. */
  restore(waiter: Waiter): void {
    const agent = this.#agentOf.get(keyOf(waiter));
    if (agent !== undefined) this.enter(agent, waiter);
  }

  /** It need not wait any more. */
  leave(waiter: Waiter): void {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    const queue = agent === undefined ? undefined : this.#queues.get(agent);
    if (agent === undefined || queue === undefined) return;
    if (queue.places.get(key)?.isServed === true) queue.served -= 1;
    queue.places.delete(key);
    this.#agentOf.delete(key);
    if (queue.places.size === 0) this.#queues.delete(agent);
  }

  /** The oldest for whom so many slots are enough, without those who are on their way already. */
  wake(agent: string, slots: number, at: number): readonly Call[] {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return [];
    const calls: Call[] = [];
    let places = 0;
    for (const place of queue.places.values()) {
      if (place.isServed) continue;
      if (place.call !== null && place.comingUntil <= at) {
        this.leave(place.waiter);
        continue;
      }
      if (places >= slots) break;
      places += 1;
      if (place.call !== null) continue;
      this.#calls += 1;
      Object.assign(place, { call: this.#calls, comingUntil: at + COMING_MS });
      calls.push({ waiter: place.waiter, number: this.#calls });
    }
    return calls;
  }

  /** It was told, and did not ask: it waits for nothing any more. True when it is here no longer, for whatever reason. */
  answered({ waiter, number }: Call): boolean {
    const key = keyOf(waiter);
    const place = this.#queues.get(this.#agentOf.get(key) ?? "")?.places.get(key);
    if (place?.call === number) this.leave(waiter);
    return !this.isAnywhere(waiter);
  }
}

function keyOf({ runId, nodeId }: Waiter): string {
  return `${runId}/${nodeId}`;
}
