/** Seeds that once showed a fault. They are played first, for ever. */
export const REGRESSION_SEEDS: readonly number[] = [];
