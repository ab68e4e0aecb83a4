import type { Clock, Stop } from "../clock/index.ts";

/** When the windows of agents are looked at again: one alarm for each, at the earliest moment asked for. */
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
