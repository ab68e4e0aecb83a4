import type { TrendBucket, TrendFigures, TrendGroup } from "../core/search/index.ts";

/** The index by which runs are found, and their sums; written after commits, not in them. */
export interface SearchStore {
  /**
   * Reads the words, agents and models of runs that are new, have ended or have begun to wait, and adds those that have
   * ended to the trends; at most `limit` of them. Returns how many it were. Safe on any number of replicas.
   */
  indexRuns(limit: number): Promise<number>;
  /** In order of time, then of group. */
  trends(orgId: string, selection: TrendSelection): Promise<readonly TrendRow[]>;
  /**
   * Adds up usage of hours that are over, so that it is not counted record by record each time, and stays when the records
   * are gone. Returns whether there is more to do. Safe on any number of replicas.
   */
  rollUsage(): Promise<boolean>;
}

export interface TrendSelection {
  readonly bucket: TrendBucket;
  /** Null: of everything. */
  readonly by: TrendGroup | null;
  /** Only this one; absent: all. */
  readonly group?: string;
  /** When runs were created, in whole buckets; the end excluded. */
  readonly since: number;
  readonly until: number;
}

export interface TrendRow {
  /** Epoch milliseconds, UTC. */
  readonly bucketStart: number;
  /** A version is `name@2`. */
  readonly group: string | null;
  readonly figures: TrendFigures;
}
