import type { Clock } from "../../src/clock/index.ts";

/** Time that passes when a test moves it. */
export class HandClock implements Clock {
  time: number;

  constructor(start: number) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(): () => void {
    return () => undefined;
  }
}
