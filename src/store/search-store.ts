import type { TrendBucket, TrendFigures, TrendGroup } from "../core/search/index.ts";

/** The search index of runs, and their sums. Both are written after commits, not in them. */
export interface SearchStore {
  /**
   * Indexes the words, agents and models of runs that are new, have ended or have begun to wait, and adds ended runs to
   * the trends, at most `limit` runs. Returns how many. Safe on any number of replicas.
   */
  indexRuns(limit: number): Promise<number>;
  /** Returns trends ordered by time, then by group. */
  trends(orgId: string, selection: TrendSelection): Promise<readonly TrendRow[]>;
  /**
   * Sums the usage of past hours, so that queries need not count single records, and the sums remain after the records
   * are deleted. Returns whether more hours are left. Safe on any number of replicas.
   */
  rollUsage(): Promise<boolean>;
}

export interface TrendSelection {
  readonly bucket: TrendBucket;
  /** Null for one sum over all runs. */
  readonly by: TrendGroup | null;
  /** Only this group; absent means all groups. */
  readonly group?: string;
  /** Range of creation times of runs, in whole buckets; the end excluded. */
  readonly since: number;
  readonly until: number;
}

export interface TrendRow {
  /** Epoch milliseconds, UTC. */
  readonly bucketStart: number;
  /** Name of the group. A version is `name@2`. */
  readonly group: string | null;
  readonly figures: TrendFigures;
}
