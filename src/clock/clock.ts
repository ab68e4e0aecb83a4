/** Takes back a timer that has not fired; harmless afterwards. */
export type Stop = () => void;

/** The only source of time outside the core, so that a run can be driven by real time or by a simulation. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once the delay is over, never before it; 0 means after whatever is already waiting its turn. */
  after(delayMs: number, fire: () => void): Stop;
}

/** `setTimeout` overflows beyond 24 days and drifts over long sleeps, so that long waits are made of short hops. */
const HOP_MS = 60_000;

export function createSystemClock(): Clock {
  return {
    now: Date.now,
    after(delayMs, fire) {
      if (delayMs <= 0) {
        const immediate = setImmediate(fire);
        return () => clearImmediate(immediate);
      }
      // By a clock that only ever grows: setting the time of the machine shortens no wait and makes none longer.
      const dueAt = performance.now() + delayMs;
      let timeout: NodeJS.Timeout;
      // A timeout may end a millisecond early; the deadline itself is what counts.
      const hop = (): void => {
        const rest = dueAt - performance.now();
        if (rest <= 0) fire();
        else timeout = setTimeout(hop, Math.min(rest, HOP_MS));
      };
      timeout = setTimeout(hop, Math.min(delayMs, HOP_MS));
      return () => clearTimeout(timeout);
    },
  };
}
