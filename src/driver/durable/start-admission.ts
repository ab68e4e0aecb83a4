import type { Clock } from "../../clock/index.ts";
import { LIMITS } from "../../core/base/index.ts";
import { type BacklogStore, StoreUnavailable } from "../../store/index.ts";
import type { InputQueue } from "./input-queue.ts";
import { OpenRuns } from "./open-runs.ts";
import type { StoreHealth } from "./store-health.ts";

export interface StartAdmissionOptions {
  readonly queue: Pick<InputQueue, "refuseWhenFull">;
  readonly health: Pick<StoreHealth, "outage">;
  readonly store: Pick<BacklogStore, "countOpenRuns">;
  readonly maxOpenRuns?: (orgId: string) => number | null;
  readonly clock: Pick<Clock, "now">;
}

/** Length of a database outage after which starts are refused. */
const OUTAGE_GRACE_MS = 1_000;

/** Decides whether one more run may start now. During an outage, accepted starts wait for the database and new ones are refused. */
export class StartAdmission {
  readonly #options: StartAdmissionOptions;
  readonly #openRuns: OpenRuns;

  constructor(options: StartAdmissionOptions) {
    const { store, clock, maxOpenRuns: max = () => LIMITS.openRunsMax } = options;
    this.#options = options;
    this.#openRuns = new OpenRuns({ count: (orgId) => store.countOpenRuns(orgId), max, now: () => clock.now() });
  }

  /** Throws `Overloaded`, `StoreUnavailable` or `TooManyOpenRuns` when no run may start. The caller calls the result after the start. */
  async admit(orgId: string): Promise<() => void> {
    const { queue, health, clock } = this.#options;
    queue.refuseWhenFull();
    const { outage } = health;
    if (outage !== null && clock.now() - outage.since > OUTAGE_GRACE_MS) throw new StoreUnavailable(outage.reason);
    return this.#openRuns.admit(orgId);
  }
}
