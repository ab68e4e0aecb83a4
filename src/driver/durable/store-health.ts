import type { Clock } from "../../clock/index.ts";

export interface StoreHealthOptions {
  /** True for errors that mean the database is unavailable. The operation is then repeated. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly clock: Clock;
}

/** Start of the current outage, and the last error of the database. */
export interface Outage {
  readonly since: number;
  readonly reason: string;
}

const SLEEPS_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/** Repeats operations until the database is available again, and reports the outage meanwhile. */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  /** Operations being repeated now. The outage lasts while there is one, even if others succeed: reads may work when writes fail. */
  readonly #failing = new Set<symbol>();
  #outage: Outage | null = null;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  get outage(): Outage | null {
    return this.#outage;
  }

  /** Repeats the operation while the database is unavailable. Other errors are thrown. */
  async untilAvailable<T>(work: () => Promise<T>): Promise<T> {
    const { isUnavailable, clock } = this.#options;
    const attempt = Symbol("attempt");
    for (let tries = 0; ; tries += 1) {
      try {
        const result = await work();
        this.#ended(attempt);
        return result;
      } catch (error) {
        if (!isUnavailable(error)) {
          this.#ended(attempt);
          throw error;
        }
        const reason = error instanceof Error ? error.message : String(error);
        this.#failing.add(attempt);
        this.#outage = { since: this.#outage?.since ?? clock.now(), reason };
        const sleepMs = SLEEPS_MS[Math.min(tries, SLEEPS_MS.length - 1)] ?? 0;
        await new Promise<void>((resolve) => clock.after(sleepMs, resolve));
      }
    }
  }

  #ended(attempt: symbol): void {
    if (this.#failing.delete(attempt) && this.#failing.size === 0) this.#outage = null;
  }
}
