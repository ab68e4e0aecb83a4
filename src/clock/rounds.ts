import type { Clock, Stop } from "./clock.ts";

export interface RoundsOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly round: () => Promise<void>;
  /** Called with the error of a failed round. Later rounds are still performed. */
  readonly onTrouble: (error: unknown) => void;
}

/** Repeats work at an interval, and earlier when woken. Rounds never overlap. */
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

  /** Requests a round. If a round is in progress, another follows it, because the present one may have missed the change. */
  wake(delayMs = 0): void {
    if (this.#state !== "started" || this.#isWanted) return;
    this.#isWanted = true;
    if (this.#underWay === null) this.#schedule(delayMs);
  }

  /** Stops the rounds permanently. A later start has no effect. */
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
