import type { InputQueue } from "./input-queue.ts";

/** Maximum number of batches in progress at once: one is decided while another is written. */
const LANES = 2;
/** One more lane works for organisations that have no run in the other lanes. */
const EXTRA_LANES = 1;

export interface CommitLoopOptions {
  readonly queue: InputQueue;
  /** Commits one batch. Returns false when there was nothing to do. */
  readonly step: () => Promise<boolean>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Commits batches while inputs wait. */
export class CommitLoop {
  readonly #options: CommitLoopOptions;
  #activeLanes = 0;

  constructor(options: CommitLoopOptions) {
    this.#options = options;
    options.queue.onReady = () => this.#wake();
  }

  get isBusy(): boolean {
    return this.#activeLanes > 0 || this.#options.queue.size > 0;
  }

  #wake(): void {
    const { queue } = this.#options;
    if (!(this.#activeLanes < LANES ? queue.hasReady : this.#mayUseExtraLane(this.#activeLanes))) return;
    this.#activeLanes += 1;
    // Starts after the current burst of callbacks, so that inputs that arrive together are committed together.
    setImmediate(() => void this.#work());
  }

  #mayContinue(): boolean {
    return this.#activeLanes <= LANES || this.#mayUseExtraLane(this.#activeLanes - 1);
  }

  /** Returns whether an extra lane may work beside `others` active lanes. */
  #mayUseExtraLane(others: number): boolean {
    return others < LANES + EXTRA_LANES && this.#options.queue.hasIdleOrganisation;
  }

  async #work(): Promise<void> {
    try {
      while (this.#mayContinue() && (await this.#options.step()));
    } catch (error) {
      this.#options.onTrouble("a batch failed", error);
    } finally {
      this.#activeLanes -= 1;
      this.#wake();
    }
  }
}
