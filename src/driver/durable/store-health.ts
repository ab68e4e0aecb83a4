import type { Clock } from "../../clock/index.ts";

export interface StoreHealthOptions {
  /** True for errors that mean "the database is away": what was asked is asked again. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly clock: Clock;
}

/** Since when nothing can be written, and the last error of the database. */
export interface Outage {
  readonly since: number;
  readonly reason: string;
}

const SLEEPS_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/** Repeats what the database could not do until it can, and says meanwhile that it cannot. */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  /** What is being repeated at this moment, however much else succeeds: reading may work where writing does not. */
  readonly #failing = new Set<symbol>();
  #outage: Outage | null = null;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  get outage(): Outage | null {
    return this.#outage;
  }

  /** Anything but the absence of the database is thrown. */
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
