/** A node that waits at a gate, as a commit writes it. */
export interface NodeWait {
  readonly nodeId: string;
  /** What it waits for: places of one agent, room in one budget. Named by the governance; the store only compares it. */
  readonly queue: string;
  /** Within a queue lower ranks are served first, and the longest wait first within a rank. */
  readonly rank: number;
  readonly since: number;
  /** When it has waited long enough. */
  readonly dueAt: number;
  /** The replica that serves it when its turn comes; null: no replica yet, it stands in the backlog. */
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
 * The backlog: nodes that wait and that no replica holds in memory. A replica claims the front of a queue, a bounded
 * number at a time, so that however many wait, none costs anything before its turn.
 */
export interface WaitingStore {
  /** Queues in which nodes wait that no replica has claimed. */
  backlogQueues(limit: number): Promise<readonly WaitingQueue[]>;
  /**
   * Claims the first unclaimed nodes of a queue, and some of each lower priority (ranks from 2, ranks from 4), so that
   * none of them is left behind for ever: at most 1.25 times as many as `limit` says. Those another replica is claiming are left
   * to it.
   */
  claimWaiting(queue: WaitingQueue, replicaId: string, limit: number): Promise<readonly WaitingNode[]>;
  /** Puts nodes that replicas without a lease had claimed back into the backlog; how many, at most `limit`. */
  releaseWaiting(limit: number): Promise<number>;
}

/** Of a claim so many nodes are of lower priorities, however many of higher ones wait. */
export function sharedOut(limit: number): number {
  return Math.ceil(limit / SHARE);
}

const SHARE = 9;

/** Queue of nodes written before queues had names. */
export const UNNAMED_QUEUE = "";
