/** The log and the verdicts are stored in partitions, one per week of runs, so that old data is deleted as whole files. */
export interface PartitionStore {
  /** Creates the missing partitions for runs of this week and the next ones. */
  makePartitions(now: number): Promise<void>;
  /** Drops partitions of past weeks that have few rows left, after moving those rows. Returns the names of the partitions. */
  dropPartitions(now: number): Promise<readonly string[]>;
}
