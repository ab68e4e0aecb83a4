import type { Timer } from "../core/engine/index.ts";
import type { AttemptKey } from "../core/event/index.ts";

export interface ReplicaStore {
  /** Lives on for `ttlMs` of database time; false when the lease was lost in between. */
  renewReplica(replicaId: string, ttlMs: number): Promise<boolean>;
  registerReplica(replicaId: string, ttlMs: number, supersedesAll: boolean): Promise<void>;
  retireReplica(replicaId: string): Promise<void>;
  /** Moves open attempts of replicas that are gone to this one, oldest first; safe on any number of replicas. */
  takeOver(replicaId: string, limit: number): Promise<readonly Orphan[]>;
  /** Timers and attempt deadlines due by database time plus nothing; the caller submits them to the engine. */
  dueTimers(limit: number): Promise<readonly DueTimer[]>;
  /** When the next timer or deadline is due, if any. */
  nextDueAt(): Promise<number | null>;
  /** Database time. */
  now(): Promise<number>;
  /** Open runs that wait for nothing at all: no attempt, timer or approval. A safety net; normally none. */
  listStalled(limit: number): Promise<readonly string[]>;
  /** Runs that failed or timed out within a day, and may be recovered once more automatically. */
  listRecoverable(limit: number): Promise<readonly Recoverable[]>;
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
