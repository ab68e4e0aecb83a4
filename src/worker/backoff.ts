import { setTimeout as sleep } from "node:timers/promises";
import { ServerAway } from "./work-client.ts";

const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/** Waits longer after each try while the server is unavailable, with random variation, so that workers do not all return at once. */
export class Backoff {
  readonly #signal: AbortSignal;
  readonly #onAway: (error: ServerAway) => void;
  #nextMs = FIRST_MS;

  constructor(signal: AbortSignal, onAway: (error: ServerAway) => void) {
    this.#signal = signal;
    this.#onAway = onAway;
  }

  /** Repeats the attempt until it succeeds, or fails for a reason other than an unavailable server. */
  async until<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const done = await attempt();
        this.#nextMs = FIRST_MS;
        return done;
      } catch (error) {
        if (!(error instanceof ServerAway) || this.#signal.aborted) throw error;
        this.#onAway(error);
        await sleep(this.#nextMs * (0.5 + Math.random()), undefined, { signal: this.#signal }).catch(() => undefined);
        this.#nextMs = Math.min(this.#nextMs * 2, LONGEST_MS);
      }
    }
  }
}
