/** Longer waits overflow `setTimeout`, and drift; they are made of short ones. */
const HOP_MS = 60_000;

export interface PageClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls back once, not before the delay is over; what it returns takes it back. */
  readonly after: (delayMs: number, fire: () => void) => () => void;
}

export function createPageClock(now: () => number): PageClock {
  return {
    now,
    after(delayMs, fire) {
      const dueAt = now() + delayMs;
      let timeout: ReturnType<typeof setTimeout>;
      const hop = (): void => {
        const rest = dueAt - now();
        if (rest <= 0) fire();
        else timeout = setTimeout(hop, Math.min(rest, HOP_MS));
      };
      timeout = setTimeout(hop, Math.min(Math.max(0, delayMs), HOP_MS));
      return () => clearTimeout(timeout);
    },
  };
}
