import { AgentQueue, type Call, type Rank, type Waiter } from "./agent-queue.ts";

/** Nodes of one queue and one priority that a process holds in memory; all others stand in the backlog. */
export const HELD_MAX = 2_000;

/** The nodes that wait for a slot or a window, by agent, as far as this process serves them. */
export class WaitingRoom {
  readonly #queues = new Map<string, AgentQueue>();
  /** A node waits for one agent at a time. */
  readonly #agentOf = new Map<string, string>();
  #calls = 0;

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.unserved;
    return size;
  }

  agents(): readonly string[] {
    return [...this.#queues.keys()];
  }

  heldOf(agent: string): number {
    return this.#queues.get(agent)?.held ?? 0;
  }

  has(agent: string, waiter: Waiter): boolean {
    return this.#queues.get(agent)?.has(keyOf(waiter)) === true;
  }

  isAnywhere(waiter: Waiter): boolean {
    return this.#agentOf.has(keyOf(waiter));
  }

  /** How many are served before it: their slots are not to be had. */
  ahead(agent: string, waiter: Waiter, rank: Rank): number {
    return this.#queues.get(agent)?.ahead(keyOf(waiter), rank) ?? 0;
  }

  /** It was asked, and has to wait on. False: there is no room for it here, and it stands in the backlog. */
  enter(agent: string, waiter: Waiter, rank: Rank): boolean {
    const key = keyOf(waiter);
    if (this.#agentOf.get(key) !== agent) this.leave(waiter);
    const queue = this.#queue(agent);
    if (!this.#agentOf.has(key) && queue.heldOf(rank) >= HELD_MAX) {
      queue.hasBacklog = true;
      return false;
    }
    this.hold(agent, waiter, rank);
    return true;
  }

  /** It is claimed for this process, which serves it however many it holds: no other one will. */
  hold(agent: string, waiter: Waiter, rank: Rank): void {
    const key = keyOf(waiter);
    if (this.#agentOf.get(key) !== agent) this.leave(waiter);
    this.#queue(agent).enter(key, waiter, rank);
    this.#agentOf.set(key, agent);
  }

  /** It was asked, and admitted; it leaves when that is committed, and waits on when it is not. */
  serve(agent: string, waiter: Waiter, rank: Rank): void {
    const key = keyOf(waiter);
    const own = this.#agentOf.get(key);
    if (own !== undefined && own !== agent) this.#queues.get(own)?.serve(key, rank);
    this.#queues.get(agent)?.serve(key, rank);
  }

  /** What admitted it does not stand. */
  restore(waiter: Waiter): void {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    if (agent !== undefined) this.enter(agent, waiter, this.#queue(agent).rankOf(key));
  }

  /** It need not wait any more. */
  leave(waiter: Waiter): void {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    if (agent === undefined) return;
    this.#agentOf.delete(key);
    this.#queues.get(agent)?.leave(key);
    this.#forgetEmpty(agent);
  }

  /** Records whether more wait for the agent in the database than are held here. */
  setBacklog(agent: string, hasBacklog: boolean): void {
    if (!hasBacklog && !this.#queues.has(agent)) return;
    this.#queue(agent).hasBacklog = hasBacklog;
    this.#forgetEmpty(agent);
  }

  /** Those for whom so many slots are enough, without those who are on their way already. */
  wake(agent: string, slots: number): readonly Call[] {
    return this.#queues.get(agent)?.wake(slots, () => (this.#calls += 1)) ?? [];
  }

  /** It was reached, and did not ask: it waits for nothing any more. True when it is here no longer, for any reason. */
  answered({ waiter, number }: Call): boolean {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    if (agent === undefined) return true;
    const queue = this.#queue(agent);
    queue.answered(key, number);
    if (queue.holds(key)) return false;
    this.#agentOf.delete(key);
    this.#forgetEmpty(agent);
    return true;
  }

  #queue(agent: string): AgentQueue {
    let queue = this.#queues.get(agent);
    if (queue === undefined) this.#queues.set(agent, (queue = new AgentQueue()));
    return queue;
  }

  #forgetEmpty(agent: string): void {
    const queue = this.#queues.get(agent);
    if (queue !== undefined && queue.held === 0 && !queue.hasBacklog) this.#queues.delete(agent);
  }
}

function keyOf({ runId, nodeId }: Waiter): string {
  return `${runId}/${nodeId}`;
}
