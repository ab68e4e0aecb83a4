/** What runs are found by, read off the way of commits. */
export interface SearchStore {
  /**
   * Reads the words, agents and models of runs that are new, have ended or have begun to wait, at most `limit` of them;
   * returns how many it were. Safe on any number of replicas.
   */
  indexRuns(limit: number): Promise<number>;
}
