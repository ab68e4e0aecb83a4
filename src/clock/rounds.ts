import type { Clock, Stop } from "./clock.ts";

export interface RoundsOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly round: () => Promise<void>;
  /** Called with the error of a round that failed; the next round still comes. */
  readonly onTrouble: (error: unknown) => void;
}

/** Does the same thing every so often, and sooner when woken; never twice at a time. */
export class Rounds {
  readonly #options: RoundsOptions;
  #cancel: Stop | null = null;
  #underWay: Promise<void> | null = null;
  #isWanted = false;
  #state: "new" | "started" | "stopped" = "new";

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(delayMs = 0): void {
    if (this.#state === "new") this.#state = "started";
    this.#schedule(delayMs);
  }

  /** A round under way may have missed what it is woken for, so another one follows it. */
  wake(delayMs = 0): void {
    if (this.#state !== "started" || this.#isWanted) return;
    this.#isWanted = true;
    if (this.#underWay === null) this.#schedule(delayMs);
  }

  /** For good: a later start does nothing. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#cancel?.();
    await this.#underWay;
  }

  #schedule(delayMs: number): void {
    if (this.#state !== "started") return;
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(delayMs, () => {
      this.#underWay ??= this.#go();
    });
  }

  async #go(): Promise<void> {
    const { round, onTrouble, everyMs } = this.#options;
    this.#isWanted = false;
    try {
      await round();
    } catch (error) {
      onTrouble(error);
    }
    this.#underWay = null;
    this.#schedule(this.#isWanted ? 0 : everyMs);
  }
}
