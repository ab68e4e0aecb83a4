import type { RunRecord } from "../store/index.ts";
import type { EventMessage } from "./frame-text.ts";
import type { Tail, WatchedRun, Watcher } from "./tail.ts";

export interface CursorSetup {
  readonly run: RunRecord;
  readonly afterEventId: number;
  readonly tail: Tail;
}

/**
 * The position of a stream in the log of a run. Later events come from memory while the tail keeps them, otherwise
 * from the log. Replay and live events therefore form one sequence, without gaps or repetitions.
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

  /** True when the run has ended and all its events were taken. */
  get isOver(): boolean {
    return this.#watched.isFinished && this.#after >= this.#watched.head;
  }

  async take(): Promise<readonly EventMessage[]> {
    const { tail } = this.#setup;
    const found = this.#watched.keptAfter(this.#after) ?? (await tail.readLog(this.#watched, this.#after));
    this.#after = found.at(-1)?.eventId ?? this.#after;
    return found;
  }

  release(): void {
    this.#setup.tail.unwatch(this.#watched, this.#watcher);
  }
}
