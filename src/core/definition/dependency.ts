export const DEPENDENCY_OUTCOMES = ["success", "failure", "settled"] as const;
/** How a step must have ended for one that depends on it to run; `settled`: however it ended. */
export type DependencyOutcome = (typeof DEPENDENCY_OUTCOMES)[number];

/** A step that does not wait for all its dependencies. */
export interface Join {
  /** So many are enough. */
  readonly count: number;
  /** Those still open by then are stopped. */
  readonly isRace: boolean;
}
