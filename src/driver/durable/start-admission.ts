import { LIMITS } from "../../core/base/index.ts";
import { type BacklogStore, StoreUnavailable } from "../../store/index.ts";
import type { Inbox } from "./inbox.ts";
import { OpenRuns } from "./open-runs.ts";
import type { StoreHealth } from "./store-health.ts";

export interface StartAdmissionOptions {
  readonly inbox: Pick<Inbox, "refuseWhenFull">;
  readonly health: Pick<StoreHealth, "outage">;
  readonly store: Pick<BacklogStore, "countOpenRuns">;
  readonly maxOpenRuns?: number;
  readonly now: () => number;
}

/** How long the database may be away before starts are refused. */
const OUTAGE_GRACE_MS = 1_000;

/** Says whether one more run may start now. What was accepted waits for the database; nothing new is accepted meanwhile. */
export class StartAdmission {
  readonly #options: StartAdmissionOptions;
  readonly #openRuns: OpenRuns;

  constructor(options: StartAdmissionOptions) {
    const { store, now, maxOpenRuns: max = LIMITS.openRunsMax } = options;
    this.#options = options;
    this.#openRuns = new OpenRuns({ count: (orgId) => store.countOpenRuns(orgId), max, now });
  }

  /** Throws `Overloaded`, `StoreUnavailable` or `TooManyOpenRuns` when it may not. */
  async admit(orgId: string): Promise<void> {
    const { inbox, health, now } = this.#options;
    inbox.refuseWhenFull();
    const { outage } = health;
    if (outage !== null && now() - outage.since > OUTAGE_GRACE_MS) throw new StoreUnavailable(outage.reason);
    await this.#openRuns.admit(orgId);
  }
}
