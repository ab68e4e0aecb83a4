/** Cancels a timer that has not fired. Has no effect after it has fired. */
export type Stop = () => void;

/** The only source of time outside the core, so that a run can be driven by real time or by a simulation. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back after the delay, never earlier. A delay of 0 means after the callbacks that are already due. */
  after(delayMs: number, fire: () => void): Stop;
}

/** Longest single timeout. `setTimeout` overflows after 24 days and drifts over long waits, so long waits are split. */
const HOP_MS = 60_000;

export function createSystemClock(): Clock {
  return {
    now: Date.now,
    after(delayMs, fire) {
      if (delayMs <= 0) {
        const immediate = setImmediate(fire);
        return () => clearImmediate(immediate);
      }
      // Uses a monotonic clock, so that changing the time of the machine neither shortens nor lengthens a wait.
      const dueAt = performance.now() + delayMs;
      let timeout: NodeJS.Timeout;
      // A timeout may fire a millisecond early, so the deadline is checked again.
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
