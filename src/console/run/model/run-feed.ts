import type { Frame, RunView, State } from "../../../client/index.ts";
import { createView, type NodeView, type PlanOutline } from "../../../core/view/index.ts";
import { NodeListeners } from "./node-listeners.ts";
import { FactsAt, type RunFacts } from "./run-facts.ts";
import { RunLog } from "./run-log.ts";
import { outlineOfState, viewOfState } from "./state-view.ts";
import { ViewHistory } from "./view-history.ts";

/** Browser functions that a feed needs. */
export interface Pace {
  /** Calls back before the next animation frame. */
  readonly nextFrame: (run: () => void) => void;
  readonly now: () => number;
}

/** Data about a run that is known before its first event has been read. */
export interface FeedStart {
  readonly outline: PlanOutline;
  readonly view: RunView;
}

/** Returns the start of a feed from the state of a run on the server. */
export function startOfState(state: State): FeedStart {
  return { outline: outlineOfState(state), view: viewOfState(state) };
}

/** Returns the start of a feed from the plan of a run that has no events yet. */
export function startOfPlan(outline: PlanOutline): FeedStart {
  return { outline, view: createView(outline) };
}

/** Longest time per animation frame for folding, so that enough time is left for drawing and typing. */
const FOLD_MS = 6;
/** Shortest time between two updates of nodes. Lists are updated less often. */
const NODES_MS = 48;
const LISTS_MS = 160;

/**
 * The run that a page shows. A few frames are folded before each animation frame, and listeners are notified once for
 * many changes: node listeners about twenty times a second, list listeners less often. Until folding has caught up with
 * the state that was read first, that state is shown. For an earlier event, the fold up to that event is shown.
 */
export class RunFeed {
  readonly log: RunLog;
  readonly #pace: Pace;
  readonly #seed: RunView;
  readonly #nodeListeners = new NodeListeners();
  readonly #listListeners = new Set<() => void>();
  #queue: Frame[] = [];
  #head = 0;
  #isScheduled = false;
  #nodesNotifiedAt = -Infinity;
  #listsNotifiedAt = -Infinity;
  #version = 0;
  #pinned: { readonly eventId: number; readonly view: RunView } | null = null;
  #history: ViewHistory | null = null;
  #factsAt: FactsAt | null = null;
  /** Nodes that changed since their listeners were notified. */
  readonly #changed = new Set<string>();
  /** True when something changed after the list listeners were last notified. */
  #isListsDue = false;

  constructor({ outline, view }: FeedStart, pace: Pace) {
    this.#pace = pace;
    this.#seed = view;
    this.log = new RunLog(outline);
  }

  /** The view on screen, of the present or of an earlier event. */
  get shown(): RunView {
    return this.#pinned?.view ?? this.newest;
  }

  /** The present view of the run, even while an earlier event is shown. */
  get newest(): RunView {
    return this.isCaughtUp ? this.log.view : this.#seed;
  }

  get isCaughtUp(): boolean {
    return this.log.view.lastEventId >= this.#seed.lastEventId;
  }

  /** The earlier event that is shown. Null when the page follows the run. */
  get pinnedAt(): number | null {
    return this.#pinned?.eventId ?? null;
  }

  /** Bars, sums and waits as of the event that is shown. */
  get facts(): RunFacts {
    const at = this.pinnedAt;
    if (at === null) return this.log;
    return (this.#factsAt = FactsAt.at(at, this.log.events, this.#factsAt));
  }

  /** Returns the time of the event that is shown. Null for the present. */
  readonly shownAt = (): number | null => {
    const at = this.pinnedAt;
    return at === null ? null : (this.log.events[Math.min(at, this.log.events.length) - 1]?.at ?? null);
  };

  take(frames: readonly Frame[]): void {
    for (const frame of frames) this.#queue.push(frame);
    this.#schedule();
  }

  /** Shows the run as it was after an event. Null follows the run again. */
  pin(eventId: number | null): void {
    if (eventId === null) {
      if (this.#pinned === null) return;
      this.#pinned = null;
    } else {
      this.#history ??= new ViewHistory(this.log.outline, this.log.events);
      this.#pinned = { eventId, view: this.#history.at(eventId) };
    }
    this.#notifyAll();
  }

  readonly node = (id: string): NodeView | undefined => this.shown.nodes.get(id);

  readonly version = (): number => this.#version;

  /** Calls the listener when one of these nodes changes, or when any node changes if no ids are passed. */
  readonly onNodes = (listener: () => void, ids?: readonly string[]): (() => void) =>
    this.#nodeListeners.add(listener, ids);

  /** Calls the listener a few times a second while something changes. `version` is different each time. */
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
    const wasCaughtUp = this.isCaughtUp;
    const isEmpty = this.#foldSome();
    const isListTime = this.#isListsDue && this.#pace.now() - this.#listsNotifiedAt >= LISTS_MS;
    // Until folding has caught up, the state that was read first is shown and nodes do not change.
    if (!wasCaughtUp && this.isCaughtUp) this.#notifyAll();
    else {
      if (this.#isFollowing) this.#notifyNodes(isListTime);
      if (isListTime) this.#notifyLists();
    }
    if (!isEmpty || this.#isListsDue || (this.#isFollowing && this.#changed.size > 0)) this.#schedule();
  }

  /** Whether the folded view is the one on screen. */
  get #isFollowing(): boolean {
    return this.isCaughtUp && this.#pinned === null;
  }

  /** Folds some frames. Returns true when none is left. */
  #foldSome(): boolean {
    const until = this.#pace.now() + FOLD_MS;
    while (this.#head < this.#queue.length && this.#pace.now() < until) {
      for (let count = 0; count < 20 && this.#head < this.#queue.length; count += 1) {
        const frame = this.#queue[this.#head];
        this.#head += 1;
        if (frame === undefined || !this.log.take(frame)) continue;
        this.#isListsDue = true;
        for (const id of changedBy(frame)) this.#changed.add(id);
      }
    }
    if (this.#head < this.#queue.length) return false;
    this.#queue = [];
    this.#head = 0;
    return true;
  }

  /** Notifies node listeners, at the same time as list listeners if these are due, so that the page never shows two states of the run. */
  #notifyNodes(withLists: boolean): void {
    const isTime = withLists || this.#pace.now() - this.#nodesNotifiedAt >= NODES_MS;
    if (this.#changed.size === 0 || !isTime) return;
    this.#nodesNotifiedAt = this.#pace.now();
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#nodeListeners.notify(changed);
  }

  #notifyLists(): void {
    this.#isListsDue = false;
    this.#listsNotifiedAt = this.#pace.now();
    this.#version += 1;
    for (const listener of this.#listListeners) listener();
  }

  /** Notifies all listeners after the shown view was replaced. */
  #notifyAll(): void {
    this.#changed.clear();
    this.#nodesNotifiedAt = this.#pace.now();
    this.#nodeListeners.notifyAll();
    this.#notifyLists();
  }
}

const INSTANCE_ID = /^(.+)\[\d+\]$/s;

/** Returns the nodes that an event may have changed, directly or through one of their edges. */
function changedBy({ type, payload }: Frame): readonly string[] {
  if (type === "node.expanded") return [payload.nodeId, ...payload.instanceIds];
  if (type === "node.round") return [payload.nodeId, payload.instanceId];
  if (!("nodeId" in payload)) return [];
  // The parent node of an instance counts its failures.
  const parent = INSTANCE_ID.exec(payload.nodeId)?.[1];
  return parent === undefined ? [payload.nodeId] : [payload.nodeId, parent];
}
