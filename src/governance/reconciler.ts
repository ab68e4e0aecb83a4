import type { Clock, Stop } from "../clock/index.ts";
import type { AgentMemoryStore, GovernanceStore } from "../store/index.ts";

export interface ReconcilerOptions {
  readonly store: Pick<GovernanceStore, "recount" | "unexplainedSpending"> & Pick<AgentMemoryStore, "pruneMemories">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Counts of this process since its start. */
export interface ReconcilerFigures {
  readonly recounts: number;
  /** Counters that differed from the rows they count, and were corrected. */
  readonly fixed: number;
  /** Budgets with more spending than usage explains, at the last check. */
  readonly unexplained: number;
}

const MINUTE_MS = 60_000;
/** In minutes. */
const RECOUNT_EVERY = 5;
const EXPLAIN_EVERY = 24 * 60;
/** Memory entries deleted per statement, and the maximum number of statements per minute. */
const MEMORIES_BATCH = 20_000;
const MEMORIES_ROUNDS_MAX = 10;
/** The longest budget period. */
const PERIOD_MS_MAX = 31 * 24 * 3_600_000;

/**
 * A safety net: counters should be right without it. Safe on any number of replicas. Each replica checks on its own,
 * and finds counters that another has fixed to be right.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #figures = { recounts: 0, fixed: 0, unexplained: 0 };
  #stop: Stop | null = null;
  #isStopped = false;
  #minutes = 0;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.clock.after(MINUTE_MS, () => void this.tick().then(() => this.start()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop?.();
  }

  figures(): ReconcilerFigures {
    return { ...this.#figures };
  }

  /** Does the work that is due each minute. */
  async tick(): Promise<void> {
    this.#minutes += 1;
    await this.#guarded("memories of agents could not be pruned", () => this.#prune());
    if (this.#minutes % RECOUNT_EVERY === 0) {
      await this.#guarded("what is counted could not be counted again", () => this.#recount());
    }
    if (this.#minutes % EXPLAIN_EVERY === 0) {
      await this.#guarded("what was spent could not be compared with usage", () => this.#explain());
    }
  }

  async #prune(): Promise<void> {
    const { store } = this.#options;
    for (let round = 0; round < MEMORIES_ROUNDS_MAX; round += 1) {
      if ((await store.pruneMemories(MEMORIES_BATCH)) < MEMORIES_BATCH) return;
    }
  }

  async #recount(): Promise<void> {
    const { store, onTrouble } = this.#options;
    const fixed = await store.recount();
    this.#figures.recounts += 1;
    this.#figures.fixed += fixed.length;
    for (const line of fixed) onTrouble("a counter was wrong and has been set right", line);
  }

  async #explain(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    const found = await store.unexplainedSpending(clock.now() - PERIOD_MS_MAX);
    this.#figures.unexplained = found.length;
    for (const line of found) onTrouble("a budget has more spent than usage explains", line);
  }

  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onTrouble(what, error);
    }
  }
}
