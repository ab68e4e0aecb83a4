/** A node that a limit made wait. */
export interface Waiter {
  readonly runId: string;
  readonly nodeId: string;
}

interface Place {
  readonly waiter: Waiter;
  /** Woken, and not asked since; whoever does not come in time has gone. Null: not woken. */
  wokenUntil: number | null;
}

/** A run that was woken and never came back must not keep its place for ever. */
const COMING_MS = 5_000;

/** Who waits for a slot or a window of which agent, in this process: first come, first served. */
export class WaitingRoom {
  /** By agent, then by node; a node keeps its place when it is asked again and has to wait on. */
  readonly #queues = new Map<string, Map<string, Place>>();

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  agents(): readonly string[] {
    return [...this.#queues.keys()];
  }

  has(agent: string, { runId, nodeId }: Waiter): boolean {
    return this.#queues.get(agent)?.has(keyOf(runId, nodeId)) ?? false;
  }

  isAnywhere({ runId, nodeId }: Waiter): boolean {
    for (const queue of this.#queues.values()) if (queue.has(keyOf(runId, nodeId))) return true;
    return false;
  }

  /** How many were here before it: whoever comes first is served first, so that their slots are not to be had. */
  ahead(agent: string, { runId, nodeId }: Waiter): number {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return 0;
    const own = keyOf(runId, nodeId);
    if (!queue.has(own)) return queue.size;
    let count = 0;
    for (const key of queue.keys()) {
      if (key === own) return count;
      count += 1;
    }
    return count;
  }

  /** It was asked, and has to wait on. */
  enter(agent: string, waiter: Waiter): void {
    let queue = this.#queues.get(agent);
    if (queue === undefined) this.#queues.set(agent, (queue = new Map()));
    queue.set(keyOf(waiter.runId, waiter.nodeId), { waiter, wokenUntil: null });
  }

  /** It was asked, and need not wait any more. */
  leave(agent: string, { runId, nodeId }: Waiter): void {
    const queue = this.#queues.get(agent);
    if (queue?.delete(keyOf(runId, nodeId)) === true && queue.size === 0) this.#queues.delete(agent);
  }

  /** The oldest for whom so many slots are enough, without those who are on their way already. */
  wake(agent: string, slots: number, at: number): readonly Waiter[] {
    const queue = this.#queues.get(agent);
    if (queue === undefined) return [];
    const woken: Waiter[] = [];
    let places = 0;
    for (const [key, place] of queue) {
      if (place.wokenUntil !== null && place.wokenUntil <= at) {
        queue.delete(key);
        continue;
      }
      if (places >= slots) break;
      places += 1;
      if (place.wokenUntil !== null) continue;
      place.wokenUntil = at + COMING_MS;
      woken.push(place.waiter);
    }
    if (queue.size === 0) this.#queues.delete(agent);
    return woken;
  }
}

function keyOf(runId: string, nodeId: string): string {
  return `${runId}/${nodeId}`;
}
