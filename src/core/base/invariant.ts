/** A broken promise inside Sluice. Only an edge catches it, and parks the run with `engine_bug`. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function invariant(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Bug(promise);
}

/** The value, or a bug when a place that must be filled is empty. */
export function required<T>(value: T | undefined | null, promise: string): T {
  if (value === undefined || value === null) throw new Bug(promise);
  return value;
}
