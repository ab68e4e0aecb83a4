import type { WaitingNode, WaitingQueue, WaitingStore } from "../store/index.ts";
import { HELD_MAX } from "./waiting-room.ts";

export interface BacklogOptions {
  readonly store: WaitingStore;
  readonly replicaId: () => string;
  /** Nodes of the queue this process holds in memory. */
  readonly heldOf: (queue: WaitingQueue) => number;
  /** Receives the nodes claimed for this replica, in the order in which they are served. */
  readonly onClaimed: (queue: WaitingQueue, nodes: readonly WaitingNode[]) => void;
  /** Called when the database holds no more of the queue. */
  readonly onEmpty: (queue: WaitingQueue) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A process claims more nodes when it holds fewer than this. */
const HELD_LOW = HELD_MAX / 2;
const QUEUES_MAX = 1_000;

/**
 * Waiting nodes that no replica holds in memory. Only the front of a queue is claimed, so that a node costs nothing
 * until it is near the front, however many wait. Nodes that a dead replica had claimed are found again through their
 * queue.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #queues = new Map<string, WaitingQueue>();
  readonly #claiming = new Set<string>();

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Records that a node of the queue is about to be written which this process does not hold. */
  add(queue: WaitingQueue): void {
    this.#queues.set(keyOf(queue), queue);
  }

  /** Finds all queues with waiting nodes, for all organisations at once, and claims nodes where there is room. */
  async refresh(): Promise<void> {
    for (const queue of await this.#options.store.backlogQueues(QUEUES_MAX)) this.add(queue);
    await Promise.all([...this.#queues.values()].map((queue) => this.claim(queue)));
  }

  /** Claims the front of a queue when this process holds few of it. Does nothing for a queue without a backlog. */
  async claim(queue: WaitingQueue): Promise<void> {
    const key = keyOf(queue);
    const held = this.#options.heldOf(queue);
    if (!this.#queues.has(key) || this.#claiming.has(key) || held >= HELD_LOW) return;
    const { store, replicaId, onClaimed, onEmpty, onTrouble } = this.#options;
    this.#claiming.add(key);
    try {
      const limit = HELD_MAX - held;
      const nodes = await store.claimWaiting(queue, replicaId(), limit);
      // A node that is being written at this moment is found by the next refresh.
      if (nodes.length < limit) {
        this.#queues.delete(key);
        onEmpty(queue);
      }
      if (nodes.length > 0) onClaimed(queue, nodes);
    } catch (error) {
      onTrouble("waiting nodes could not be claimed", error);
    } finally {
      this.#claiming.delete(key);
    }
  }
}

function keyOf({ orgId, queue }: WaitingQueue): string {
  return `${orgId} ${queue}`;
}
