import type { Clock } from "../clock/index.ts";

/** Inputs handled in one go before timers, signals and the screen get their turn. */
const BURST = 256;

/** First come, first served, one at a time; whoever adds to it never waits for what it leads to. */
export class InputQueue<T> {
  readonly #clock: Clock;
  readonly #handle: (item: T) => void;
  #items: T[] = [];
  #head = 0;
  #sinceRest = 0;
  #isScheduled = false;

  constructor(clock: Clock, handle: (item: T) => void) {
    this.#clock = clock;
    this.#handle = handle;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#schedule();
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#sinceRest < BURST) {
      queueMicrotask(() => this.#drain());
      return;
    }
    this.#clock.after(0, () => {
      this.#sinceRest = 0;
      this.#drain();
    });
  }

  #drain(): void {
    this.#isScheduled = false;
    while (this.#head < this.#items.length && this.#sinceRest < BURST) {
      const item = this.#items[this.#head];
      this.#head += 1;
      this.#sinceRest += 1;
      if (item !== undefined) this.#handle(item);
    }
    if (this.#head < this.#items.length) this.#schedule();
    else this.clear();
  }
}
