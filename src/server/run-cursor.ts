import type { RunRecord, RunStore } from "../store/index.ts";
import { frameOf, sseBytes } from "./frame-text.ts";
import type { Sent, Tail, WatchedRun, Watcher } from "./tail.ts";

const PAGE = 100;

export interface CursorSetup {
  readonly run: RunRecord;
  readonly afterEventId: number;
  readonly store: Pick<RunStore, "readEvents">;
  readonly tail: Tail;
}

/**
 * How far somebody has read a run. What follows comes from memory when the tail keeps it and from the log otherwise, so
 * that replay and live are one and no event can be missed or repeated.
 */
export class RunCursor {
  readonly #setup: CursorSetup;
  readonly #watcher: Watcher;
  readonly #watched: WatchedRun;
  #after: number;

  constructor(setup: CursorSetup, watcher: Watcher) {
    this.#setup = setup;
    this.#watcher = watcher;
    this.#after = setup.afterEventId;
    this.#watched = setup.tail.watch(setup.run, watcher);
  }

  get runId(): string {
    return this.#setup.run.runId;
  }

  /** The run has ended, and all of it was taken. */
  get isOver(): boolean {
    return this.#watched.isFinished && this.#after >= this.#watched.head;
  }

  async take(): Promise<readonly Sent[]> {
    const found = this.#watched.keptAfter(this.#after) ?? (await this.#readLog());
    this.#after = found.at(-1)?.eventId ?? this.#after;
    return found;
  }

  release(): void {
    this.#setup.tail.unwatch(this.#watched, this.#watcher);
  }

  async #readLog(): Promise<readonly Sent[]> {
    const { store, run } = this.#setup;
    const events = await store.readEvents(run.orgId, run.runId, this.#after, PAGE);
    return events.map((event) => ({ eventId: event.eventId, bytes: sseBytes(frameOf(event, run)) }));
  }
}
