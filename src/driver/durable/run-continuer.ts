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

/** A deadline with an epoch that no state has. It only makes the engine check the run again. */
export const NUDGE: Timer = { kind: "run", epoch: -1 };

const PAGE = 200;
/** Time until all replicas know that a workflow or organisation is no longer paused. Until then they may hold runs back. */
const PAUSE_PROPAGATION_MS = 3_000;

/**
 * Continues the runs of a workflow or organisation that is no longer paused. Each run is checked once now, and once
 * more when all replicas know. Runs that a crash leaves unchecked wait for nothing, and the sweeper finds them as
 * stalled.
 */
export class RunContinuer {
  readonly #options: RunContinuerOptions;
  readonly #later = new Set<Stop>();

  constructor(options: RunContinuerOptions) {
    this.#options = options;
  }

  /** Resolves when each run has been checked once. */
  async continueAll(orgId: string, workflow: string | null): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const stop = clock.after(PAUSE_PROPAGATION_MS, () => {
      this.#later.delete(stop);
      this.#continuePaused(orgId, workflow).catch((error: unknown) =>
        onTrouble("paused runs could not be continued", error),
      );
    });
    this.#later.add(stop);
    await this.#continuePaused(orgId, workflow);
  }

  stop(): void {
    for (const stop of this.#later) stop();
  }

  async #continuePaused(orgId: string, workflow: string | null): Promise<void> {
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
