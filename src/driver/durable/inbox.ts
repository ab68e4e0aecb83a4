import type { LiveRun } from "./live-run.ts";
import { type Outcome, RunQueue, type Waiting } from "./run-queue.ts";
import { Overloaded } from "./runtime.ts";

/** Batches that may be on their way to the database at once: one is decided while another is written. */
const LANES = 2;
const QUEUED_INPUTS_MAX = 20_000;

export interface InboxOptions {
  /** Works off one batch; false when there was nothing to do. */
  readonly step: () => Promise<boolean>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Where everything a run is told arrives, and from which batches are taken. */
export class Inbox {
  readonly queue = new RunQueue();
  readonly #options: InboxOptions;
  #activeLanes = 0;
  #isClosed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.queue.size;
  }

  get isBusy(): boolean {
    return this.#activeLanes > 0 || this.queue.size > 0;
  }

  /** For whoever can come again later. */
  refuseWhenFull(): void {
    if (this.#isClosed) throw new Overloaded(2_000);
    if (this.queue.size >= QUEUED_INPUTS_MAX) throw new Overloaded(1_000);
  }

  push(runId: string, input: Waiting["input"], fresh: LiveRun | null = null): Promise<Outcome> {
    return new Promise((done) => {
      this.queue.push(runId, { input, done }, fresh);
      this.#wakeLanes();
    });
  }

  /** From inside: adapters and deadlines wait for nobody's answer. */
  note(runId: string, input: Waiting["input"], done: () => void = () => undefined): void {
    this.queue.push(runId, { input, done });
    this.#wakeLanes();
  }

  /** Takes nothing new from outside. */
  close(): void {
    this.#isClosed = true;
  }

  /** Puts inputs back that were taken and could not be decided. */
  putBack(work: () => void): void {
    work();
    this.#wakeLanes();
  }

  #wakeLanes(): void {
    if (this.#activeLanes >= LANES || !this.queue.hasReady) return;
    this.#activeLanes += 1;
    // After the present burst of callbacks, so that what arrives together is committed together.
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    try {
      while (await this.#options.step());
    } catch (error) {
      this.#options.onTrouble("a batch failed", error);
    } finally {
      this.#activeLanes -= 1;
      this.#wakeLanes();
    }
  }
}
