import type { WaitingFor } from "../core/event/index.ts";

/** What waits and what is running in the whole installation, for monitoring. */
export interface BacklogStore {
  /** Of all organisations together; cheap enough to be asked for every few seconds. */
  readBacklog(): Promise<Backlog>;
  /** Runs of an organisation that have not ended. */
  countOpenRuns(orgId: string): Promise<number>;
  /** What an organisation keeps, in bytes. */
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
  /** Open runs, by what they wait for; those that wait for nothing are left out. */
  readonly waitingRuns: Readonly<Record<WaitingFor, number>>;
  readonly openAttempts: number;
  readonly pendingApprovals: number;
  readonly pendingDeliveries: number;
  /** How long the timer or deadline that is most overdue has been due; 0 when none is. */
  readonly lagMs: number;
}

export const NO_WAITING_RUNS: Backlog["waitingRuns"] = { person: 0, event: 0, timer: 0, gate: 0 };
