import type { JsonObject } from "../base/index.ts";
import type { EventOf, RunEvent } from "./event.ts";

/**
 * The number of hand-offs of values a run took part in, as its own log shows them: rows into it and rows out of it. A
 * hand-off between two of its nodes counts in both.
 */
export interface HandoffCounts {
  upstreamCount: number;
  downstreamCount: number;
  readonly handoffs: Map<string, NodeHandoffs>;
}

/** The counts of one node. A row repeated after a rewind is the same row, so the highest number of any pass counts. */
interface NodeHandoffs {
  /** Rows into the node since it was last invalidated, whether it has begun or not. */
  rows: number;
  counted: number;
  resultsCounted: number;
}

/** What a completed node represents. */
export type HandoffStanding = "list" | "rounds" | "child" | "itself";

export function countHandoffs(counts: HandoffCounts, event: RunEvent, standing: HandoffStanding): void {
  switch (event.type) {
    case "run.started":
      counts.upstreamCount += rowsIntoArgs(event);
      return;
    case "node.provenance":
      of(counts, event.payload.nodeId).rows += 1;
      return;
    case "node.invalidated": {
      const node = counts.handoffs.get(event.payload.nodeId);
      if (node !== undefined) node.rows = 0;
      return;
    }
    case "node.started":
    case "node.expanded":
      return use(counts, event.payload.nodeId);
    case "child.started":
      counts.downstreamCount += event.payload.handoffs ?? 0;
      return;
    case "node.completed":
      return complete(counts, event, standing);
    default:
  }
}

/** Rows from outputs of other runs, from the parent's node, or kept from the run this one repeats. */
function rowsIntoArgs({ payload }: EventOf<"run.started">): number {
  const { args, inputsFrom = {}, handoffs = 0, sourceRunId, trigger } = payload;
  const kept = sourceRunId !== undefined && trigger === "restart" ? Object.keys(args).length : 0;
  return Object.keys(inputsFrom).length + handoffs + kept;
}

/** Counts the rows into a node once the node uses them. */
function use(counts: HandoffCounts, nodeId: string): void {
  const node = counts.handoffs.get(nodeId);
  if (node === undefined || node.rows <= node.counted) return;
  counts.upstreamCount += node.rows - node.counted;
  counts.downstreamCount += node.rows - node.counted;
  node.counted = node.rows;
}

function complete(counts: HandoffCounts, { payload }: EventOf<"node.completed">, standing: HandoffStanding): void {
  const { nodeId, outputs, carried } = payload;
  if (carried === true) {
    counts.upstreamCount += 1;
    return;
  }
  if (standing === "itself") return;
  // The hand-off from the last round is already a row of its own.
  if (standing === "rounds") return use(counts, nodeId);
  const results = standing === "list" ? completedElements(outputs) : Object.keys(outputs).length;
  const node = of(counts, nodeId);
  const more = Math.max(0, results - node.resultsCounted);
  node.resultsCounted += more;
  counts.upstreamCount += more;
  if (standing === "list") counts.downstreamCount += more;
}

function completedElements(outputs: JsonObject): number {
  const { count, failed } = outputs;
  return typeof count === "number" && typeof failed === "number" ? count - failed : 0;
}

function of({ handoffs }: HandoffCounts, nodeId: string): NodeHandoffs {
  let node = handoffs.get(nodeId);
  if (node === undefined) handoffs.set(nodeId, (node = { rows: 0, counted: 0, resultsCounted: 0 }));
  return node;
}
