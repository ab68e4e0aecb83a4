import type { JsonObject } from "../core/base/index.ts";
import type { AttemptKey } from "../core/event/index.ts";

/** An attempt that is a function: any worker that has the function may ask for it. */
export interface AttemptWork {
  readonly function: string;
  /** It is never given to a second worker. */
  readonly isOnce: boolean;
  /** As the worker gets it. */
  readonly request: JsonObject;
}

export interface WorkKey extends AttemptKey {
  readonly runId: string;
}

export interface ClaimedWork extends WorkKey {
  readonly workerId: string;
  readonly request: JsonObject;
}

export interface WorkerRecord {
  readonly workerId: string;
  readonly functions: readonly string[];
}

/** Work that waits for workers, and the workers there are. Judged by database time. */
export interface WorkStore {
  /**
   * Gives open work of these functions to workers, oldest first: the first to the first of `takers`, and so on. What another
   * replica is giving out at the same moment is left to it. Work of a worker that is gone counts as open, unless it may be
   * done only once.
   */
  claimWork(
    orgId: string,
    functions: readonly string[],
    takers: readonly string[],
    ttlMs: number,
  ): Promise<readonly ClaimedWork[]>;
  /** Of these, those the worker still has; they stay its own for as long again. */
  renewWork(orgId: string, workerId: string, held: readonly WorkKey[], ttlMs: number): Promise<readonly WorkKey[]>;
  /** Gives back whatever the worker has besides these, which it never began: another may have it at once. How many that were. */
  releaseWork(orgId: string, workerId: string, kept: readonly WorkKey[]): Promise<number>;
  /** Work that may be done only once, of workers that are gone. */
  lostWork(limit: number): Promise<readonly WorkKey[]>;
  /** The worker is there for `ttlMs` from now on. */
  putWorker(orgId: string, worker: WorkerRecord, ttlMs: number): Promise<void>;
  removeWorker(orgId: string, workerId: string): Promise<void>;
  /** Those that are there, by id. */
  listWorkers(orgId: string): Promise<readonly WorkerRecord[]>;
  /** Functions that a worker of one of these organisations has, each once. */
  listOffered(orgIds: readonly string[]): Promise<readonly OfferedFunction[]>;
}

export interface OfferedFunction {
  readonly orgId: string;
  readonly name: string;
}
