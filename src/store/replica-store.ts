import type { Timer } from "../core/engine/index.ts";
import type { AttemptKey } from "../core/event/index.ts";

export interface ReplicaStore {
  /** Extends the lease of the replica by `ttlMs` of database time. Returns false when the lease was lost meanwhile. */
  renewReplica(replicaId: string, ttlMs: number): Promise<boolean>;
  registerReplica(replicaId: string, ttlMs: number, supersedesAll: boolean): Promise<void>;
  retireReplica(replicaId: string): Promise<void>;
  /** Moves open attempts of dead replicas to this one, oldest first. Safe on any number of replicas. */
  takeOver(replicaId: string, limit: number): Promise<readonly Orphan[]>;
  /** Returns timers and attempt deadlines that are due by database time. The caller submits them to the engine. */
  dueTimers(limit: number): Promise<readonly DueTimer[]>;
  /** Returns the time of the next timer or deadline; null when there is none. */
  nextDueAt(): Promise<number | null>;
  /** Database time. */
  now(): Promise<number>;
  /** Returns open runs that wait for nothing: no attempt, timer or approval. A safety net; normally there are none. */
  listStalled(limit: number): Promise<readonly string[]>;
  /**
   * Returns runs that failed or timed out within a day and may be recovered automatically once more, oldest end first.
   * `after`: the last run of the page before; null for the first page.
   */
  listRecoverable(limit: number, after: Recoverable | null): Promise<readonly Recoverable[]>;
}

export interface Recoverable {
  readonly orgId: string;
  readonly runId: string;
  readonly epoch: number;
  readonly endedAt: number;
}

export const RECOVERABLE_MS = 24 * 3_600_000;

export interface Orphan extends AttemptKey {
  readonly runId: string;
}

export interface DueTimer {
  readonly runId: string;
  readonly timer: Timer;
  readonly dueAt: number;
}
