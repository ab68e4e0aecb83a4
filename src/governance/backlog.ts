import type { WaitingNode, WaitingQueue, WaitingStore } from "../store/index.ts";
import { HELD_MAX } from "./waiting-room.ts";

export interface BacklogOptions {
  readonly store: WaitingStore;
  readonly replicaId: () => string;
  /** Nodes of the queue this process holds in memory. */
  readonly heldOf: (queue: WaitingQueue) => number;
  /** Claimed for this replica, in the order in which they are to be served. */
  readonly onClaimed: (queue: WaitingQueue, nodes: readonly WaitingNode[]) => void;
  /** Nothing of the queue is left in the database. */
  readonly onEmpty: (queue: WaitingQueue) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A process claims more when it holds fewer than this. */
const HELD_LOW = HELD_MAX / 2;
const QUEUES_MAX = 1_000;

/**
 * Nodes that wait and that no replica holds in memory. Only the front of a queue is ever claimed, so that a node costs
 * nothing before its turn, however many wait; and what a dead replica had claimed is found again by its queue.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #queues = new Map<string, WaitingQueue>();
  readonly #claiming = new Set<string>();

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** A node of the queue is about to be written that this process does not hold. */
  add(queue: WaitingQueue): void {
    this.#queues.set(keyOf(queue), queue);
  }

  /** Looks which queues hold anything, for all organisations at once, and claims where there is room. */
  async refresh(): Promise<void> {
    for (const queue of await this.#options.store.backlogQueues(QUEUES_MAX)) this.add(queue);
    await Promise.all([...this.#queues.values()].map((queue) => this.claim(queue)));
  }

  /** Claims the front of a queue when few of it are held; there is nothing to do for a queue without a backlog. */
  async claim(queue: WaitingQueue): Promise<void> {
    const key = keyOf(queue);
    const held = this.#options.heldOf(queue);
    if (!this.#queues.has(key) || this.#claiming.has(key) || held >= HELD_LOW) return;
    const { store, replicaId, onClaimed, onEmpty, onTrouble } = this.#options;
    this.#claiming.add(key);
    try {
      const limit = HELD_MAX - held;
      const nodes = await store.claimWaiting(queue, replicaId(), limit);
      // One that is being written at this moment is found by the next refresh.
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
