import type { Frame, RunView, State } from "../../../client/index.ts";
import { createView, type NodeView, type PlanOutline } from "../../../core/view/index.ts";
import { NodeListeners } from "./node-listeners.ts";
import { FactsAt, type RunFacts } from "./run-facts.ts";
import { RunLog } from "./run-log.ts";
import { outlineOfState, viewOfState } from "./state-view.ts";
import { ViewHistory } from "./view-history.ts";

/** What a feed needs of the browser. */
export interface Pace {
  /** Calls back before the next picture is drawn. */
  readonly nextFrame: (run: () => void) => void;
  readonly now: () => number;
}

/** What is known of a run before its first event has been read. */
export interface FeedStart {
  readonly outline: PlanOutline;
  readonly view: RunView;
}

/** Of a run that a server keeps: its state. */
export function startOfState(state: State): FeedStart {
  return { outline: outlineOfState(state), view: viewOfState(state) };
}

/** Of a run whose very first event is still to come: its plan. */
export function startOfPlan(outline: PlanOutline): FeedStart {
  return { outline, view: createView(outline) };
}

/** Folding may take this much of an animation frame; the rest belongs to drawing and typing. */
const FOLD_MS = 6;
/** Nodes are drawn again at most this often, lists less often. */
const NODES_MS = 48;
const LISTS_MS = 160;

/**
 * The run a page shows. Frames are folded a few at a time before each animation frame, and listeners are notified once
 * for many changes: listeners of nodes some twenty times a second, listeners of lists less often. Until the fold has
 * caught up with the state that was read first, that state is shown; at an earlier event, the fold up to that event.
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
  /** Something changed since the listeners of lists were notified. */
  #isListsDue = false;

  constructor({ outline, view }: FeedStart, pace: Pace) {
    this.#pace = pace;
    this.#seed = view;
    this.log = new RunLog(outline);
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

  /** Bars, sums and waits as they were at the event that is looked at. */
  get facts(): RunFacts {
    const at = this.pinnedAt;
    if (at === null) return this.log;
    return (this.#factsAt = FactsAt.at(at, this.log.events, this.#factsAt));
  }

  /** The time of the event that is shown; null: now. */
  readonly shownAt = (): number | null => {
    const at = this.pinnedAt;
    return at === null ? null : (this.log.events[Math.min(at, this.log.events.length) - 1]?.at ?? null);
  };

  take(frames: readonly Frame[]): void {
    for (const frame of frames) this.#queue.push(frame);
    this.#schedule();
  }

  /** Looks at the run as it was after an event; null follows it again. */
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

  /** Called when some of these nodes changed; without ids, when any did. */
  readonly onNodes = (listener: () => void, ids?: readonly string[]): (() => void) =>
    this.#nodeListeners.add(listener, ids);

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
    const wasCaughtUp = this.isCaughtUp;
    const isEmpty = this.#foldSome();
    const isListTime = this.#isListsDue && this.#pace.now() - this.#listsNotifiedAt >= LISTS_MS;
    // Until it has caught up the state that was read first is shown, and no node changes.
    if (!wasCaughtUp && this.isCaughtUp) this.#notifyAll();
    else {
      if (this.#isFollowing) this.#notifyNodes(isListTime);
      if (isListTime) this.#notifyLists();
    }
    if (!isEmpty || this.#isListsDue || (this.#isFollowing && this.#changed.size > 0)) this.#schedule();
  }

  /** Whether what is folded is what is shown. */
  get #isFollowing(): boolean {
    return this.isCaughtUp && this.#pinned === null;
  }

  /** True: nothing is left to be folded. */
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

  /** Together with the lists, so that the page never shows two states of the run. */
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

  /** The shown view has been replaced. */
  #notifyAll(): void {
    this.#changed.clear();
    this.#nodesNotifiedAt = this.#pace.now();
    this.#nodeListeners.notifyAll();
    this.#notifyLists();
  }
}

const INSTANCE_ID = /^(.+)\[\d+\]$/s;

/** The nodes an event may have changed, or an edge to one of them. */
function changedBy({ type, payload }: Frame): readonly string[] {
  if (type === "node.expanded") return [payload.nodeId, ...payload.instanceIds];
  if (type === "node.round") return [payload.nodeId, payload.instanceId];
  if (!("nodeId" in payload)) return [];
  // The node of an instance counts its failures.
  const parent = INSTANCE_ID.exec(payload.nodeId)?.[1];
  return parent === undefined ? [payload.nodeId] : [payload.nodeId, parent];
}
