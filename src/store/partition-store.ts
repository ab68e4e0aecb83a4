/** The log and the verdicts lie in partitions, a week of runs in each, so that what is old goes as files. */
export interface PartitionStore {
  /** Makes the partitions that runs of this week and the next ones go into, unless they are there. */
  makePartitions(now: number): Promise<void>;
  /** Drops partitions of weeks that are over and of which little is left; that little is moved. Their names. */
  dropPartitions(now: number): Promise<readonly string[]>;
}
