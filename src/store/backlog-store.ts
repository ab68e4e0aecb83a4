import type { WaitingFor } from "../core/event/index.ts";

/** Waiting and running work of the whole installation, for monitoring. */
export interface BacklogStore {
  /** Returns the backlog of all organisations together. Cheap enough to be read every few seconds. */
  readBacklog(): Promise<Backlog>;
  /** Counts the runs of an organisation that have not ended. */
  countOpenRuns(orgId: string): Promise<number>;
  /** Returns the storage an organisation uses, in bytes. */
  readStorage(orgId: string): Promise<StorageBytes>;
}

export interface StorageBytes {
  readonly files: number;
  /** Values too large for the log. */
  readonly values: number;
  /** Logs and verdicts of all runs, estimated from the newest of them. */
  readonly logs: number;
}

export interface Backlog {
  readonly openRuns: number;
  /** Number of open runs for each reason to wait. Runs that wait for nothing are left out. */
  readonly waitingRuns: Readonly<Record<WaitingFor, number>>;
  readonly openAttempts: number;
  readonly pendingApprovals: number;
  readonly pendingDeliveries: number;
  /** Delay of the most overdue timer or deadline; 0 when none is overdue. */
  readonly lagMs: number;
}

export const NO_WAITING_RUNS: Backlog["waitingRuns"] = { person: 0, event: 0, timer: 0, gate: 0 };
