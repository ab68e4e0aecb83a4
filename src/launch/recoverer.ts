import { type Clock, Rounds } from "../clock/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { Governor } from "../governance/index.ts";
import type { Recoverable, Store } from "../store/index.ts";
import { launchFacts } from "./launch-facts.ts";

export interface RecovererOptions {
  readonly store: Pick<Store, "listRecoverable" | "getRun" | "getWorkflow">;
  readonly runtime: Pick<Runtime, "submit">;
  readonly governor: Pick<Governor, "launches">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const CHECK_EVERY_MS = 5_000;
const PAGE = 100;
/** Delay before the first recovery. It doubles each time, because the cause of a failure may take a while to go away. */
const FIRST_DELAY_MS = 10_000;
const DELAY_MS_MAX = 3_600_000;

/** Recovers failed runs automatically, as often as their starters allowed. Safe on any number of replicas. */
export class Recoverer {
  readonly #options: RecovererOptions;
  readonly #rounds: Rounds;
  /** The last run of the page before; null when the next round begins with the oldest. */
  #after: Recoverable | null = null;

  constructor(options: RecovererOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs: CHECK_EVERY_MS,
      round: () => this.look(),
      onTrouble: (error) => onTrouble("failed runs were not looked at", error),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
  }

  /**
   * Recovers the runs of the next page that are due. Each round continues behind the one before, so that runs that are
   * delayed or blocked by gates keep no other from being reached.
   */
  async look(): Promise<void> {
    const { store, onTrouble } = this.#options;
    const page = await store.listRecoverable(PAGE, this.#after);
    this.#after = page.length < PAGE ? null : (page.at(-1) ?? null);
    for (const run of page)
      await this.#recover(run).catch((error: unknown) => onTrouble(`run ${run.runId} was not recovered`, error));
  }

  /** If several replicas try, the second finds the run open and is refused. */
  async #recover(run: Recoverable): Promise<void> {
    const { runtime, clock } = this.#options;
    if (clock.now() < run.endedAt + delayOf(run) || !(await this.#mayRun(run))) return;
    await runtime.submit(run.orgId, run.runId, { type: "recover", reason: "recovered by itself" });
  }

  async #mayRun({ orgId, runId }: Recoverable): Promise<boolean> {
    const { store, governor } = this.#options;
    const run = await store.getRun(orgId, runId);
    if (run === undefined) return false;
    const record = await store.getWorkflow(orgId, run.workflow);
    const facts = launchFacts({ ...run, depth: run.recursionDepth }, record);
    const judgement = await governor.launches.judge(orgId, { ...facts, hasApprovedLaunch: true, keyId: null });
    return judgement.disposition !== "block";
  }
}

function delayOf({ epoch }: Recoverable): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(epoch, 20), DELAY_MS_MAX);
}
