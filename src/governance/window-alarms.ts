import type { Clock, Stop } from "../clock/index.ts";

/** Timers for checking the queues of agents again: one per key, at the earliest requested time. */
export class WindowAlarms {
  readonly #clock: Clock;
  readonly #pending = new Map<string, { readonly dueAt: number; readonly stop: Stop }>();
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(key: string, dueAt: number, ring: () => void): void {
    const before = this.#pending.get(key);
    if (this.#isStopped || (before !== undefined && before.dueAt <= dueAt)) return;
    before?.stop();
    const stop = this.#clock.after(Math.max(1, dueAt - this.#clock.now()), () => {
      this.#pending.delete(key);
      ring();
    });
    this.#pending.set(key, { dueAt, stop });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { stop } of this.#pending.values()) stop();
    this.#pending.clear();
  }
}
