import type { Frame, RunView, State } from "../../../../client/index.ts";
import type { NodeView } from "../../../../core/view/index.ts";
import { RunLog } from "./run-log.ts";
import { outlineOfState, viewOfState } from "./state-view.ts";
import { ViewHistory } from "./view-history.ts";

/** What a feed needs of the browser. */
export interface Pace {
  /** Calls back before the next picture is drawn. */
  readonly nextFrame: (run: () => void) => void;
  readonly now: () => number;
}

/** Folding may take this much of a picture's time; the rest belongs to drawing and typing. */
const FOLD_MS = 6;
/** Lists are drawn anew at most this often, single nodes with every picture. */
const LISTS_MS = 160;

/**
 * The run a page looks at. Frames are folded a few at a time before each picture, and whoever looks is told once:
 * nodes with every picture, lists less often. Until the fold has caught up with the state that was read first, that
 * state is shown; while a person looks at an earlier event, the fold up to it.
 */
export class RunFeed {
  readonly log: RunLog;
  readonly #pace: Pace;
  readonly #seed: RunView;
  readonly #nodeListeners = new Set<() => void>();
  readonly #listListeners = new Set<() => void>();
  #queue: Frame[] = [];
  #head = 0;
  #isScheduled = false;
  #listsToldAt = -Infinity;
  #version = 0;
  #pinned: { readonly eventId: number; readonly view: RunView } | null = null;
  #history: ViewHistory | null = null;
  /** Something changed that the lists have not been told of. */
  #isListsDue = false;

  constructor(state: State, pace: Pace) {
    this.#pace = pace;
    this.#seed = viewOfState(state);
    this.log = new RunLog(outlineOfState(state));
  }

  /** What is looked at. */
  get shown(): RunView {
    return this.#pinned?.view ?? this.newest;
  }

  /** The run as it is now, also while an earlier event is looked at. */
  get newest(): RunView {
    return this.isCaughtUp ? this.log.view : this.#seed;
  }

  get isCaughtUp(): boolean {
    return this.log.view.lastEventId >= this.#seed.lastEventId;
  }

  /** The event the page stands at; null: it follows the run. */
  get pinnedAt(): number | null {
    return this.#pinned?.eventId ?? null;
  }

  take(frames: readonly Frame[]): void {
    for (const frame of frames) this.#queue.push(frame);
    this.#schedule();
  }

  /** Looks at the run as it was after an event; null follows it again. */
  pin(eventId: number | null): void {
    if (eventId === null) this.#pinned = null;
    else {
      this.#history ??= new ViewHistory(this.log.outline, this.log.events);
      this.#pinned = { eventId, view: this.#history.at(eventId) };
    }
    this.#tell(true);
  }

  readonly node = (id: string): NodeView | undefined => this.shown.nodes.get(id);

  readonly version = (): number => this.#version;

  /** Called with every picture in which something changed. */
  readonly onNodes = (listener: () => void): (() => void) => {
    this.#nodeListeners.add(listener);
    return () => this.#nodeListeners.delete(listener);
  };

  /** Called a few times a second while something changes; `version` differs each time. */
  readonly onLists = (listener: () => void): (() => void) => {
    this.#listListeners.add(listener);
    return () => this.#listListeners.delete(listener);
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#pace.nextFrame(() => {
      this.#isScheduled = false;
      this.#fold();
    });
  }

  #fold(): void {
    const until = this.#pace.now() + FOLD_MS;
    const before = this.log.view.lastEventId;
    while (this.#head < this.#queue.length && this.#pace.now() < until) {
      for (let count = 0; count < 20 && this.#head < this.#queue.length; count += 1) {
        const frame = this.#queue[this.#head];
        this.#head += 1;
        if (frame !== undefined) this.log.take(frame);
      }
    }
    const isEmpty = this.#head >= this.#queue.length;
    if (isEmpty) {
      this.#queue = [];
      this.#head = 0;
    }
    const hasMoved = this.log.view.lastEventId > before;
    const isListTime = this.#pace.now() - this.#listsToldAt >= LISTS_MS;
    if (hasMoved || this.#isListsDue) this.#tell(isListTime);
    if (!isEmpty || this.#isListsDue) this.#schedule();
  }

  #tell(withLists: boolean): void {
    for (const listener of this.#nodeListeners) listener();
    this.#isListsDue = !withLists;
    if (!withLists) return;
    this.#listsToldAt = this.#pace.now();
    this.#version += 1;
    for (const listener of this.#listListeners) listener();
  }
}
