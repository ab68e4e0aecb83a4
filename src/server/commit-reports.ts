import type { Runtime } from "../driver/index.ts";
import type { LiveStore } from "../store/index.ts";

export interface CommitReportsOptions {
  readonly store: Pick<LiveStore, "reportCommits" | "countCommitReports">;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Commits within this time after a report are reported together. */
const TOGETHER_MS = 500;

/**
 * Reports to other replicas that this one has committed, at most twice a second, and counts the reports of others. An idle
 * installation therefore reads one number instead of all open runs.
 */
export class CommitReports {
  readonly #options: CommitReportsOptions;
  readonly #stopListening: () => void;
  /** Reports by this process. */
  #own = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;
  /** Statements run one after the other, so that a count never includes a report that `#own` does not. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CommitReportsOptions) {
    this.#options = options;
    this.#stopListening = options.runtime.onCommitted(() => {
      this.#isDue = true;
      if (this.#timer === null) this.#report();
    });
  }

  /** Returns a number that changes when another replica has reported a commit. */
  ofOthers(): Promise<number> {
    return this.#inTurn(async () => (await this.#options.store.countCommitReports()) - this.#own);
  }

  close(): void {
    this.#stopListening();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #report(): void {
    this.#isDue = false;
    this.#pause();
    this.#inTurn(async () => {
      await this.#options.store.reportCommits();
      this.#own += 1;
    }).catch((error: unknown) => {
      this.#isDue = true;
      if (this.#timer === null) this.#pause();
      this.#options.onTrouble("a commit was not reported to other replicas, and is reported again", error);
    });
  }

  #pause(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isDue) this.#report();
    }, TOGETHER_MS).unref();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
