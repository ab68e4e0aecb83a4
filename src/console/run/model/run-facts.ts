import type { RunEvent } from "../../../core/event/index.ts";
import { EventGroups } from "./event-groups.ts";
import { LogLines } from "./log-lines.ts";
import { Sums } from "./sums.ts";
import { Timeline } from "./timeline.ts";
import { type WaitNote, waitNoteOf } from "./waiting.ts";

/** Key of the `finally` steps. */
export const FINALLY = "finally";

/** Facts the page shows beside the view, folded from the events up to a certain one. */
export class RunFacts {
  readonly timeline = new Timeline();
  readonly groups = new EventGroups();
  readonly sums = new Sums();
  readonly logLines = new LogLines();
  /** The wait of each node, as reported by its newest event. */
  readonly waits = new Map<string, WaitNote>();
  /** Values passed from one node to another, by `source>target`. */
  readonly handoffs = new Map<string, readonly string[]>();
  readonly childRunIds: string[] = [];
  /** The newest child run of each node, without blocks. */
  readonly children = new Map<string, string>();
  /** The run of the newest block of each node, and of the `finally` steps under `finally`. */
  readonly blocks = new Map<string, string>();

  protected fold(event: RunEvent): void {
    this.timeline.take(event);
    this.groups.take(event);
    this.sums.take(event);
    this.logLines.take(event);
    const note = waitNoteOf(event);
    if (note !== null && "nodeId" in event.payload) this.waits.set(event.payload.nodeId, note);
    this.#noteChild(event);
    if (event.type === "node.provenance") {
      const { nodeId, sourceNodeId, sourceOutputPath, targetInputPath } = event.payload;
      if (sourceNodeId === null) return;
      const key = `${sourceNodeId}>${nodeId}`;
      const text = `${sourceOutputPath} → ${targetInputPath}`;
      const known = this.handoffs.get(key) ?? [];
      if (!known.includes(text)) this.handoffs.set(key, [...known, text]);
    }
  }

  /** Blocks are shown inside their node. Other child runs are linked. */
  #noteChild({ type, payload }: RunEvent): void {
    if (type === "run.finally") this.blocks.set(FINALLY, payload.childRunId);
    if (type !== "child.started") return;
    if (payload.block === undefined) {
      this.childRunIds.push(payload.childRunId);
      this.children.set(payload.nodeId, payload.childRunId);
    } else this.blocks.set(payload.nodeId, payload.childRunId);
  }
}

/** Facts up to an earlier event. Moving forward continues from the last event, moving back starts again from the first. */
export class FactsAt extends RunFacts {
  #lastEventId = 0;

  static at(eventId: number, events: readonly RunEvent[], before: FactsAt | null): FactsAt {
    const facts = before !== null && before.#lastEventId <= eventId ? before : new FactsAt();
    for (const event of events.slice(facts.#lastEventId, eventId)) facts.fold(event);
    facts.#lastEventId = Math.min(eventId, events.length);
    return facts;
  }
}
