import type { RunView } from "../../../client/index.ts";
import type { RunEvent } from "../../../core/event/index.ts";
import { applyToView, createView, type PlanOutline } from "../../../core/view/index.ts";

const STRIDE = 500;

/**
 * The state of a run after any event: the same fold as everywhere else, started from the nearest copy before that
 * event. Nodes and approvals are replaced and never changed, so copies of a view can share them.
 */
export class ViewHistory {
  readonly #events: readonly RunEvent[];
  readonly #copies: RunView[];

  constructor(outline: PlanOutline, events: readonly RunEvent[]) {
    this.#events = events;
    this.#copies = [createView(outline)];
  }

  at(eventId: number): RunView {
    const last = Math.max(0, Math.min(eventId, this.#events.length));
    while (this.#copies.length <= Math.floor(last / STRIDE)) this.#copyNext();
    const copy = this.#copies[Math.floor(last / STRIDE)];
    if (copy === undefined) throw new RangeError("every stride up to the event has a copy");
    return this.#fold(copy, last);
  }

  #copyNext(): void {
    const newest = this.#copies.at(-1);
    if (newest !== undefined) this.#copies.push(this.#fold(newest, this.#copies.length * STRIDE));
  }

  #fold(from: RunView, last: number): RunView {
    const view = copyOf(from);
    for (let at = from.lastEventId; at < last; at += 1) {
      const event = this.#events[at];
      if (event !== undefined) applyToView(view, event);
    }
    return view;
  }
}

function copyOf(view: RunView): RunView {
  return {
    ...view,
    nodes: new Map(view.nodes),
    approvals: new Map(view.approvals),
    counts: { ...view.counts },
    carriedInstances: new Map(view.carriedInstances),
  };
}
