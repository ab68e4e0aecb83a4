import type { Clock, Stop } from "../../clock/index.ts";
import type { Timer } from "../../core/engine/index.ts";
import type { PauseStore } from "../../store/index.ts";
import type { ReportIntake } from "./report-intake.ts";

export interface RunContinuerOptions {
  readonly store: Pick<PauseStore, "openRunsOf">;
  readonly intake: Pick<ReportIntake, "submitToNewest">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A deadline of no epoch at all: it fits no state, and so means nothing but "look again". */
export const NUDGE: Timer = { kind: "run", epoch: -1 };

const PAGE = 200;
/** Other replicas may take so long to know that something is not paused any more, and hold runs back meanwhile. */
const KNOWN_EVERYWHERE_MS = 3_000;

/**
 * Lets runs continue whose workflow or organisation is paused no longer: each is looked at once, and once more when all
 * replicas know. Runs that a crash in between leaves behind wait for nothing, and are found as such.
 */
export class RunContinuer {
  readonly #options: RunContinuerOptions;
  readonly #later = new Set<Stop>();

  constructor(options: RunContinuerOptions) {
    this.#options = options;
  }

  /** Resolves when each has been looked at once. */
  async continueAll(orgId: string, workflow: string | null): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const stop = clock.after(KNOWN_EVERYWHERE_MS, () => {
      this.#later.delete(stop);
      this.#look(orgId, workflow).catch((error: unknown) => onTrouble("paused runs could not be continued", error));
    });
    this.#later.add(stop);
    await this.#look(orgId, workflow);
  }

  stop(): void {
    for (const stop of this.#later) stop();
  }

  async #look(orgId: string, workflow: string | null): Promise<void> {
    const { store, intake } = this.#options;
    for (let after = ""; ;) {
      const runIds = await store.openRunsOf(orgId, workflow, after, PAGE);
      await Promise.all(
        runIds.map((runId) => intake.submitToNewest(runId, () => () => ({ input: { type: "timer", timer: NUDGE } }))),
      );
      const last = runIds.at(-1);
      if (last === undefined || runIds.length < PAGE) return;
      after = last;
    }
  }
}
