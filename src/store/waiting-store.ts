/** A node that waits at a gate, as a commit writes it. */
export interface NodeWait {
  readonly nodeId: string;
  /** Queue of the resource it waits for: slots of one agent, room in one budget. Named by governance; the store only compares it. */
  readonly queue: string;
  /** Within a queue, lower ranks are served first; within a rank, the longest wait first. */
  readonly rank: number;
  readonly since: number;
  /** Deadline of the wait. */
  readonly dueAt: number;
  /** The replica that will serve the node; null while no replica has claimed it from the backlog. */
  readonly replicaId: string | null;
}

export interface WaitingNode {
  readonly runId: string;
  readonly nodeId: string;
  readonly rank: number;
  readonly since: number;
}

export interface WaitingQueue {
  readonly orgId: string;
  readonly queue: string;
}

/**
 * The backlog: waiting nodes that no replica holds in memory. A replica claims the front of a queue, a bounded number
 * at a time, so that nodes use no memory until they are near the front, however many wait.
 */
export interface WaitingStore {
  /** Returns queues with waiting nodes that no replica has claimed. */
  backlogQueues(limit: number): Promise<readonly WaitingQueue[]>;
  /**
   * Claims the first unclaimed nodes of a queue, and some of each lower priority (ranks from 2, ranks from 4), so that
   * none of them waits for ever: at most 1.25 times `limit`. Nodes that another replica is claiming are skipped.
   */
  claimWaiting(queue: WaitingQueue, replicaId: string, limit: number): Promise<readonly WaitingNode[]>;
  /** Returns nodes claimed by replicas without a lease to the backlog; returns how many, at most `limit`. */
  releaseWaiting(limit: number): Promise<number>;
}

/** Returns the number of nodes of each lower priority in a claim, however many nodes of higher priority wait. */
export function lowerPriorityShare(limit: number): number {
  return Math.ceil(limit / SHARE);
}

const SHARE = 9;

/** Queue of nodes that were written before queues had names. */
export const UNNAMED_QUEUE = "";
