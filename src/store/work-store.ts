import type { JsonObject } from "../core/base/index.ts";
import type { AttemptKey } from "../core/event/index.ts";

/** Work of an attempt that runs a function. Any worker with the function may request it. */
export interface AttemptWork {
  readonly function: string;
  /** True when the work is never given to a second worker. */
  readonly isOnce: boolean;
  /** Request in the form sent to the worker. */
  readonly request: JsonObject;
}

export interface WorkKey extends AttemptKey {
  readonly runId: string;
}

export interface HeldWork extends WorkKey {
  readonly workerId: string;
}

export interface ClaimedWork extends HeldWork {
  readonly request: JsonObject;
}

export interface WorkerRecord {
  readonly workerId: string;
  readonly functions: readonly string[];
}

/** Work that waits for workers, and the present workers, by database time. */
export interface WorkStore {
  /**
   * Assigns open work of these functions to workers, oldest first: the first to the first of `takers`, and so on. Work
   * that another replica is assigning at the same moment is skipped. Work of a dead worker counts as open, unless it
   * may be done only once.
   */
  claimWork(
    orgId: string,
    functions: readonly string[],
    takers: readonly string[],
    ttlMs: number,
  ): Promise<readonly ClaimedWork[]>;
  /** Extends the hold on work by `ttlMs`. Returns those of these keys that the worker still holds. */
  renewWork(orgId: string, workerId: string, held: readonly WorkKey[], ttlMs: number): Promise<readonly WorkKey[]>;
  /** Releases work of the worker that is not in `kept`, which it never began. Another worker can take it at once. Returns how many. */
  releaseWork(orgId: string, workerId: string, kept: readonly WorkKey[]): Promise<number>;
  /** Releases claimed work that never reached its worker. Leaves alone what another worker holds by now. */
  returnWork(orgId: string, work: readonly HeldWork[]): Promise<void>;
  /** Returns work held by dead workers that may be done only once. */
  lostWork(limit: number): Promise<readonly WorkKey[]>;
  /** Records that the worker is present for the next `ttlMs`. */
  putWorker(orgId: string, worker: WorkerRecord, ttlMs: number): Promise<void>;
  removeWorker(orgId: string, workerId: string): Promise<void>;
  /** Returns the present workers, by id. */
  listWorkers(orgId: string): Promise<readonly WorkerRecord[]>;
  /** Returns functions that a worker of one of these organisations has, each once. */
  listOffered(orgIds: readonly string[]): Promise<readonly OfferedFunction[]>;
}

export interface OfferedFunction {
  readonly orgId: string;
  readonly name: string;
}
