import type { Clock } from "../clock/index.ts";

/** Resolves after the time or on abort, whichever is first. */
export function pause(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stop = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
}
