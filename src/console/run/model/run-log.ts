import { eventOfFrame, type Frame, type RunView } from "../../../client/index.ts";
import type { RunEvent } from "../../../core/event/index.ts";
import { applyToView, createView, type PlanOutline } from "../../../core/view/index.ts";
import { RunFacts } from "./run-facts.ts";

/** Everything the page shows of a run, folded from its events one by one. */
export class RunLog extends RunFacts {
  readonly outline: PlanOutline;
  readonly view: RunView;
  readonly frames: Frame[] = [];
  readonly events: RunEvent[] = [];

  constructor(outline: PlanOutline) {
    super();
    this.outline = outline;
    this.view = createView(outline);
  }

  /** Adds a frame. Returns false when it does not directly follow the last event. */
  take(frame: Frame): boolean {
    const event = eventOfFrame(frame);
    if (event === null || event.eventId !== this.view.lastEventId + 1) return false;
    applyToView(this.view, event);
    this.frames.push(frame);
    this.events.push(event);
    this.fold(event);
    return true;
  }
}
