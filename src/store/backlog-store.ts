/** What waits and what is running in the whole installation, for monitoring. */
export interface BacklogStore {
  /** Of all organisations together; cheap enough to be asked for every few seconds. */
  readBacklog(): Promise<Backlog>;
  /** Runs of an organisation that have not ended. */
  countOpenRuns(orgId: string): Promise<number>;
}

export interface Backlog {
  readonly openRuns: number;
  readonly openAttempts: number;
  readonly pendingApprovals: number;
  readonly pendingDeliveries: number;
  /** How long the timer or deadline that is most overdue has been due; 0 when none is. */
  readonly lagMs: number;
}
