/** A broken invariant inside Sluice. Only the outermost code catches it, and ends the run as failed with `engine_bug`. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function invariant(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Bug(promise);
}

/** Returns the value. Throws a bug when it is missing. */
export function required<T>(value: T | undefined | null, promise: string): T {
  if (value === undefined || value === null) throw new Bug(promise);
  return value;
}
