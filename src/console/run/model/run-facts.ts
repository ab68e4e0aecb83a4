import type { RunEvent } from "../../../core/event/index.ts";
import { EventGroups } from "./event-groups.ts";
import { LogLines } from "./log-lines.ts";
import { Sums } from "./sums.ts";
import { Timeline } from "./timeline.ts";
import { type WaitNote, waitNoteOf } from "./waiting.ts";

/** Under which key the steps after everything else are kept. */
export const FINALLY = "finally";

/** What the page shows beside the view, folded from the events up to one of them. */
export class RunFacts {
  readonly timeline = new Timeline();
  readonly groups = new EventGroups();
  readonly sums = new Sums();
  readonly logLines = new LogLines();
  /** What the newest event recorded about the wait of a node. */
  readonly waits = new Map<string, WaitNote>();
  /** Values handed from one node to another, by `source>target`. */
  readonly handoffs = new Map<string, readonly string[]>();
  readonly childRunIds: string[] = [];
  /** The newest child run of each node, other than blocks. */
  readonly children = new Map<string, string>();
  /** The run of the newest block of each node; of what comes last under `finally`. */
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

  /** Blocks are shown inside their node; other runs are linked. */
  #noteChild({ type, payload }: RunEvent): void {
    if (type === "run.finally") this.blocks.set(FINALLY, payload.childRunId);
    if (type !== "child.started") return;
    if (payload.block === undefined) {
      this.childRunIds.push(payload.childRunId);
      this.children.set(payload.nodeId, payload.childRunId);
    } else this.blocks.set(payload.nodeId, payload.childRunId);
  }
}

/** The same up to an earlier event. Going forward continues from the last event; going back starts again. */
export class FactsAt extends RunFacts {
  #lastEventId = 0;

  static at(eventId: number, events: readonly RunEvent[], before: FactsAt | null): FactsAt {
    const facts = before !== null && before.#lastEventId <= eventId ? before : new FactsAt();
    for (const event of events.slice(facts.#lastEventId, eventId)) facts.fold(event);
    facts.#lastEventId = Math.min(eventId, events.length);
    return facts;
  }
}
