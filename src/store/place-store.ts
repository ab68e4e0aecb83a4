/** A change by a commit to the place of its run among the runs with the same key. */
export type PlaceChange =
  /** D6 No two runs hold one slot of a key. When two would, nothing of the batch is written. */
  | { readonly kind: "hold"; readonly key: string; readonly slot: number; readonly since: number }
  | { readonly kind: "wait"; readonly key: string; readonly since: number }
  /** Releases the place. The run that has waited longest gets a timer, so that it checks whether it may begin. */
  | { readonly kind: "release" };

export interface HeldPlace {
  readonly runId: string;
  /** Null while the run waits. */
  readonly slot: number | null;
  /** Time at which the run took or began to wait for a place. */
  readonly since: number;
}

/** Places of runs whose workflow limits the number of open runs with the same key. A run of any other workflow has no row. */
export interface PlaceStore {
  /** Returns runs that hold a place, then runs that wait, both in order of arrival; at most `limit` of each. */
  placesOf(orgId: string, key: string, limit: number): Promise<readonly HeldPlace[]>;
}
