import { AgentQueue, type Call, type Rank, type Waiter } from "./agent-queue.ts";

/** Maximum nodes of one queue and priority in memory; further nodes stay in the database. */
export const HELD_MAX = 2_000;

/** Nodes that wait for a slot or a window, by agent, as far as this process serves them. */
export class WaitingRoom {
  readonly #queues = new Map<string, AgentQueue>();
  /** Number of queues by organisation. */
  readonly #queuesOf = new Map<string, number>();
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

  /** Returns the organisations with waiting nodes. */
  organisations(): Iterable<string> {
    return this.#queuesOf.keys();
  }

  isUsedBy(orgId: string): boolean {
    return this.#queuesOf.has(orgId);
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

  /** Returns the number of nodes served before this one, which take slots first. */
  ahead(agent: string, waiter: Waiter, rank: Rank): number {
    return this.#queues.get(agent)?.ahead(keyOf(waiter), rank) ?? 0;
  }

  /** Adds a node that has to wait. False when there is no room in memory; the node then stays in the database. */
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

  /** Adds a node claimed for this process, regardless of the memory limit, because no other process will serve it. */
  hold(agent: string, waiter: Waiter, rank: Rank): void {
    const key = keyOf(waiter);
    if (this.#agentOf.get(key) !== agent) this.leave(waiter);
    this.#queue(agent).enter(key, waiter, rank);
    this.#agentOf.set(key, agent);
  }

  /** Marks a node as admitted. It leaves after the commit succeeds, and waits again if the commit fails. */
  serve(agent: string, waiter: Waiter, rank: Rank): void {
    const key = keyOf(waiter);
    const own = this.#agentOf.get(key);
    if (own !== undefined && own !== agent) this.#queues.get(own)?.serve(key, rank);
    this.#queues.get(agent)?.serve(key, rank);
  }

  /** Puts a node back after the commit that admitted it has failed. */
  restore(waiter: Waiter): void {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    if (agent !== undefined) this.enter(agent, waiter, this.#queue(agent).rankOf(key));
  }

  /** Removes a node that no longer waits. */
  leave(waiter: Waiter): void {
    const key = keyOf(waiter);
    const agent = this.#agentOf.get(key);
    if (agent === undefined) return;
    this.#agentOf.delete(key);
    this.#queues.get(agent)?.leave(key);
    this.#forgetEmpty(agent);
  }

  /** Records whether the database holds more waiting nodes of the agent than this process. */
  setBacklog(agent: string, hasBacklog: boolean): void {
    if (!hasBacklog && !this.#queues.has(agent)) return;
    this.#queue(agent).hasBacklog = hasBacklog;
    this.#forgetEmpty(agent);
  }

  /** Calls waiters until as many calls are open as there are slots. Calls already open count. */
  wake(agent: string, slots: number): readonly Call[] {
    return this.#queues.get(agent)?.wake(slots, () => (this.#calls += 1)) ?? [];
  }

  /** Handles the end of a call. A node that did not ask again waits no longer. True when the node is not held here any more. */
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
    if (queue === undefined) {
      this.#queues.set(agent, (queue = new AgentQueue()));
      this.#countQueue(agent, 1);
    }
    return queue;
  }

  #forgetEmpty(agent: string): void {
    const queue = this.#queues.get(agent);
    if (queue === undefined || queue.held > 0 || queue.hasBacklog) return;
    this.#queues.delete(agent);
    this.#countQueue(agent, -1);
  }

  #countQueue(agent: string, change: number): void {
    const orgId = organisationOf(agent);
    const count = (this.#queuesOf.get(orgId) ?? 0) + change;
    if (count > 0) this.#queuesOf.set(orgId, count);
    else this.#queuesOf.delete(orgId);
  }
}

/** Returns the organisation in the key of an agent. */
function organisationOf(agent: string): string {
  return agent.slice(0, agent.indexOf("/"));
}

function keyOf({ runId, nodeId }: Waiter): string {
  return `${runId}/${nodeId}`;
}
