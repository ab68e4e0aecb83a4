/** Maximum time of one `setTimeout`. Longer ones overflow or drift, so a long wait is a series of short ones. */
const HOP_MS = 60_000;

export interface PageClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls `fire` once after the delay. Returns a function that cancels the timer. */
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
