/** Runs all steps in order, even after a failure. Then throws the first failure. */
export async function closeEach(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Returns the result of the work. When the work fails, closes what it was done with, and throws its failure. */
export async function closeOnFailure<T>(work: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    await close().catch(() => undefined);
    throw thrown;
  }
}
