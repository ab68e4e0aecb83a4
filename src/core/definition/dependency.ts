export const DEPENDENCY_OUTCOMES = ["success", "failure", "settled"] as const;
/** The required outcome of a dependency. `settled` accepts every outcome. */
export type DependencyOutcome = (typeof DEPENDENCY_OUTCOMES)[number];

/** The join of a step that does not wait for all its dependencies. */
export interface Join {
  /** The number of dependencies that are enough. */
  readonly count: number;
  /** Whether the dependencies that are still open then are stopped. */
  readonly isRace: boolean;
}
