/** What a commit changes about the place of its run among the runs with the same key. */
export type PlaceChange =
  /** D6 no two runs hold one slot of a key: where one would, nothing of the batch is written. */
  | { readonly kind: "hold"; readonly key: string; readonly slot: number; readonly since: number }
  | { readonly kind: "wait"; readonly key: string; readonly since: number }
  /** With it the run that has waited longest gets a timer, so that it looks whether it may begin. */
  | { readonly kind: "release" };

export interface Place {
  readonly runId: string;
  /** Null: it waits. */
  readonly slot: number | null;
  /** When it came. */
  readonly since: number;
}

/** Runs whose workflow limits how many with the same key are open. A run of any other workflow has no row. */
export interface PlaceStore {
  /** Those that hold a place, then those that wait, both in the order they came; of each at most `limit`. */
  placesOf(orgId: string, key: string, limit: number): Promise<readonly Place[]>;
}
