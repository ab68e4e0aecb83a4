import type { VirtualClock } from "../clock/index.ts";
import type { DurableDriver } from "../driver/index.ts";

/** What looks after things does so within this time; so much of it without a commit means that nothing is left to do. */
const CALM_MS = 10_000;
/** What comes by itself and is no deadline, such as room in a budget, is seen at most so late. */
const SKIP_MS_MAX = 3_600_000;
/** Deadlines are armed a little before they are due. */
const ARMED_MS = 2_000;

/** Days in which nothing happens pass in a few steps: the longer it was calm, the further time jumps, up to the next deadline. */
export class CalmTime {
  readonly #clock: VirtualClock;
  readonly #driver: Pick<DurableDriver, "figures" | "nextDeadline">;
  #commits = -1;
  #since = 0;

  constructor(clock: VirtualClock, driver: Pick<DurableDriver, "figures" | "nextDeadline">) {
    this.#clock = clock;
    this.#driver = driver;
  }

  /** To be called when the driver has nothing to do. */
  pass(): void {
    const now = this.#clock.now();
    const { commits } = this.#driver.figures();
    if (commits !== this.#commits) {
      this.#commits = commits;
      this.#since = now;
    }
    const calmMs = now - this.#since;
    if (calmMs < CALM_MS) return;
    const deadline = this.#driver.nextDeadline();
    const moment = Math.min(
      now + Math.min(calmMs, SKIP_MS_MAX),
      this.#clock.nextDue() ?? Infinity,
      deadline === null ? Infinity : deadline - ARMED_MS,
    );
    if (moment > now) this.#clock.skipTo(moment);
  }
}
