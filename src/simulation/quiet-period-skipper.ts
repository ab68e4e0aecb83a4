import type { VirtualClock } from "../clock/index.ts";
import type { DurableDriver } from "../driver/index.ts";

/** Background work starts within this time. When nothing was committed for this long, nothing is left to do. */
const QUIET_MS = 10_000;
/** Longest jump. Changes without a deadline, such as room in a budget, are noticed at most this late. */
const SKIP_MS_MAX = 3_600_000;
/** Deadlines are armed this long before they are due. */
const ARMED_MS = 2_000;

/** Lets quiet periods pass in a few steps: the longer nothing was committed, the further time jumps, up to the next deadline. */
export class QuietPeriodSkipper {
  readonly #clock: VirtualClock;
  readonly #driver: Pick<DurableDriver, "figures" | "nextDeadline">;
  #commits = -1;
  #since = 0;

  constructor(clock: VirtualClock, driver: Pick<DurableDriver, "figures" | "nextDeadline">) {
    this.#clock = clock;
    this.#driver = driver;
  }

  /** Must be called when the driver has nothing to do. */
  pass(): void {
    const now = this.#clock.now();
    const { commits } = this.#driver.figures();
    if (commits !== this.#commits) {
      this.#commits = commits;
      this.#since = now;
    }
    const quietMs = now - this.#since;
    if (quietMs < QUIET_MS) return;
    const deadline = this.#driver.nextDeadline();
    const moment = Math.min(
      now + Math.min(quietMs, SKIP_MS_MAX),
      this.#clock.nextDue() ?? Infinity,
      deadline === null ? Infinity : deadline - ARMED_MS,
    );
    if (moment > now) this.#clock.skipTo(moment);
  }
}
