import { eventOfFrame, type Frame, type RunView } from "../../../../client/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import { applyToView, createView, type PlanOutline } from "../../../../core/view/index.ts";
import { EventGroups } from "./event-groups.ts";
import { Sums } from "./sums.ts";
import { Timeline } from "./timeline.ts";
import { type WaitNote, waitNoteOf } from "./waiting.ts";

/** Everything the page shows of a run, folded from its events one by one. */
export class RunLog {
  readonly outline: PlanOutline;
  readonly view: RunView;
  readonly frames: Frame[] = [];
  readonly events: RunEvent[] = [];
  readonly timeline = new Timeline();
  readonly groups = new EventGroups();
  readonly sums = new Sums();
  /** What the newest event said about the wait of a node. */
  readonly waits = new Map<string, WaitNote>();
  /** Values handed from one node to another, by `source>target`. */
  readonly handoffs = new Map<string, readonly string[]>();
  /** Instances of each `for_each` node, in order of their elements. */
  readonly instances = new Map<string, readonly string[]>();
  readonly childRunIds: string[] = [];

  constructor(outline: PlanOutline) {
    this.outline = outline;
    this.view = createView(outline);
  }

  /** False: the frame does not follow what is known. */
  take(frame: Frame): boolean {
    const event = eventOfFrame(frame);
    if (event === null || event.eventId !== this.view.lastEventId + 1) return false;
    applyToView(this.view, event);
    this.frames.push(frame);
    this.events.push(event);
    this.timeline.take(event);
    this.groups.take(event);
    this.sums.take(event);
    this.#note(event);
    return true;
  }

  #note(event: RunEvent): void {
    const note = waitNoteOf(event);
    if (note !== null && "nodeId" in event.payload) this.waits.set(event.payload.nodeId, note);
    if (event.type === "node.expanded") this.instances.set(event.payload.nodeId, event.payload.instanceIds);
    if (event.type === "child.started") this.childRunIds.push(event.payload.childRunId);
    if (event.type === "node.provenance") {
      const { nodeId, sourceNodeId, sourceOutputPath, targetInputPath } = event.payload;
      if (sourceNodeId === null) return;
      const key = `${sourceNodeId}>${nodeId}`;
      const text = `${sourceOutputPath} → ${targetInputPath}`;
      const known = this.handoffs.get(key) ?? [];
      if (!known.includes(text)) this.handoffs.set(key, [...known, text]);
    }
  }
}
