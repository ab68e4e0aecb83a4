import type { AbortReason, AdapterResult } from "../adapter/index.ts";

/** The running attempts of an adapter. Each one can be cancelled, and all can be ended. */
export class RunningAttempts {
  readonly #running = new Map<AbortController, { readonly dispatchId: string; readonly ended: Promise<unknown> }>();

  /** Runs an attempt. The signal of `perform` is aborted by the given signal or by this class. */
  async run(
    dispatchId: string,
    signal: AbortSignal,
    perform: (signal: AbortSignal) => Promise<AdapterResult>,
  ): Promise<AdapterResult> {
    const stop = new AbortController();
    const performed = perform(AbortSignal.any([signal, stop.signal]));
    this.#running.set(stop, { dispatchId, ended: performed.catch(() => undefined) });
    try {
      return await performed;
    } finally {
      this.#running.delete(stop);
    }
  }

  cancel(dispatchId: string): Promise<void> {
    for (const [stop, one] of this.#running) if (one.dispatchId === dispatchId) stop.abort();
    return Promise.resolve();
  }

  /** Aborts all attempts. Resolves when all have ended. */
  async end(): Promise<void> {
    const why: AbortReason = "stopped";
    for (const stop of this.#running.keys()) stop.abort(why);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}
