import type { RunEvent } from "../core/event/index.ts";
import { isUpstreamFailure, type NodeView, type RunView } from "../core/view/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, type Paint } from "./terminal-text.ts";
import { TurnLines } from "./turn-lines.ts";

/** Shows the progress of a run. */
export interface Progress {
  /** Shows new events, which the view already contains. For a block, `around` is the nodes that contain it. */
  readonly show: (view: RunView, events: readonly RunEvent[], around?: readonly string[]) => void;
  /** Writes nothing to the terminal until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly finish: () => void;
}

const nothing = (): void => undefined;

export const SILENT: Progress = { show: nothing, pause: nothing, resume: nothing, finish: nothing };

/** Shows one line per event, for logs and pipes. Of the elements of a list, only failures are shown. */
export function createLineProgress(io: Io): Progress {
  const paint = createPaint(io.err, io.env);
  const turns = new TurnLines();
  return {
    ...SILENT,
    show(view, events, around = []) {
      for (const event of events) {
        const line = "nodeId" in event.payload ? lineOf(view, event, around, paint, turns) : finallyLine(event, paint);
        if (line !== null) io.err.write(`${"  ".repeat(around.length)}${line}\n`);
      }
    },
  };
}

const NOT_RUN = "not run: a node before it failed";

/** Checks whether an id is a round. Rounds run one after the other, and each gets its own line. */
function isRound({ nodes }: RunView, id: string): boolean {
  return nodes.get(id.slice(0, id.lastIndexOf("[")))?.isRepeated === true;
}

/** Returns the line of a `finally` event. The `finally` block does not belong to any node. */
function finallyLine({ type, payload }: RunEvent, paint: Paint): string | null {
  if (type === "run.finally") return "▸ finally";
  if (type !== "run.finally.ended") return null;
  if (payload.status === "completed") return `${paint("green", "✓")} finally`;
  return `${paint("red", "✗")} finally ${payload.errorCode ?? payload.status}`;
}

function lineOf(
  view: RunView,
  event: RunEvent,
  around: readonly string[],
  paint: Paint,
  turns: TurnLines,
): string | null {
  if (!("nodeId" in event.payload)) return null;
  const id = oneLine([...around, event.payload.nodeId].join("/"));
  const isFailure = event.type === "node.failed" || event.type === "node.timed_out";
  if (event.payload.nodeId.includes("[") && !isFailure && !isRound(view, event.payload.nodeId)) return null;
  switch (event.type) {
    case "node.started":
      return (event.payload.attempt ?? 0) > 1 ? `▸ ${id} attempt ${event.payload.attempt}` : `▸ ${id}`;
    case "node.completed": {
      const { durationMs, carried } = event.payload;
      // The cost in the view includes that of earlier rounds.
      const { costMicros } = view.nodes.get(event.payload.nodeId) ?? event.payload;
      if (carried === true) return `${paint("green", "✓")} ${id} carried over`;
      return `${paint("green", "✓")} ${id} ${formatDuration(durationMs)}${costMicros > 0 ? ` ${formatCost(costMicros)}` : ""}`;
    }
    case "node.failed":
    case "node.timed_out":
      if (event.payload.errorCode === "upstream_failure") return `${paint("gray", "–")} ${id} ${NOT_RUN}`;
      return `${paint("red", "✗")} ${id} ${event.payload.errorCode}: ${oneLine(event.payload.errorMessage)}`;
    case "node.handled":
      return `${paint("yellow", "✓")} ${id} handled by ${oneLine(event.payload.by)}`;
    case "node.retried":
      return `${paint("yellow", "↻")} ${id} again in ${formatDuration(event.payload.delayMs)}: ${event.payload.errorCode}`;
    case "node.blocked":
      return `${paint("yellow", "?")} ${id} ${waitText(event.payload.waitingReason)}`;
    case "node.skipped":
      // A handler that was not needed is not shown.
      if (event.payload.reason === "no_failure") return null;
      return `${paint("gray", "–")} ${id} skipped (${event.payload.reason})`;
    case "node.cancelled":
      return `${paint("gray", "×")} ${id} cancelled (${oneLine(event.payload.reason)})`;
    case "node.expanded":
      if (event.payload.isRepeated === true) return null;
      return `▸ ${id} runs ${event.payload.count} times`;
    case "node.log":
      return `${paint("yellow", "!")} ${id} ${oneLine(event.payload.message)}`;
    default:
      return turns.lineOf(event, paint);
  }
}

function waitText(reason: string | null): string {
  if (reason === "event") return "waits for an event";
  if (reason === "child") return "waits for a run";
  return reason === "timer" ? "waits for its time" : "waits for a person";
}

/** The line of a node: icon, text beside the id, and colour. */
export interface NodeLine {
  readonly icon: string;
  readonly colour: Parameters<Paint>[0];
  readonly detail: string;
}

/** Facts about a node that its view does not contain. */
export interface NodeAside {
  readonly now: number;
  /** Moment of the next attempt of a node that failed. */
  readonly retryAt: number | undefined;
  readonly fold: Fold | undefined;
  /** Progress of the turn of the node's agent. Empty when the node has no turn. */
  readonly turn: string;
}

/** Counts of the instances of a node. */
export interface Fold {
  readonly total: number;
  readonly settled: number;
  readonly failed: number;
}

const TAIL_LENGTH = 60;

/** Describes the present state of a node in one line. */
export function describeNode(node: NodeView, { now, retryAt, fold, turn }: NodeAside): NodeLine {
  const cost = node.costMicros > 0 ? ` ${formatCost(node.costMicros)}` : "";
  const folded = foldText(fold);
  switch (node.status) {
    case "running":
    case "streaming": {
      const tries = node.attempts > 1 ? ` attempt ${node.attempts}` : "";
      const tail = node.streamedText === "" ? "" : `  ${oneLine(node.streamedText.slice(-TAIL_LENGTH))}`;
      const elapsed = formatDuration(Math.max(0, now - (node.startedAt ?? now)));
      return { icon: "●", colour: "cyan", detail: `${elapsed}${cost}${tries}${turn}${folded}${tail}` };
    }
    case "completed":
      return { icon: "✓", colour: "green", detail: `${formatDuration(node.durationMs ?? 0)}${cost}${folded}` };
    case "failed":
    case "timed_out": {
      if (isUpstreamFailure(node)) return { icon: "–", colour: "gray", detail: NOT_RUN };
      const why = `${node.errorCode ?? node.status}: ${oneLine(node.errorMessage ?? "")}`;
      const isOpen = !node.isHandled;
      const handled = isOpen ? "" : "handled: ";
      return {
        icon: isOpen ? "✗" : "–",
        colour: isOpen ? "red" : "yellow",
        detail: `${handled}${why}${cost}${folded}`,
      };
    }
    case "retrying": {
      const rest = retryAt === undefined ? "soon" : `in ${formatDuration(Math.max(0, retryAt - now))}`;
      return { icon: "↻", colour: "yellow", detail: `again ${rest}: ${node.errorCode ?? "failed"}${cost}` };
    }
    case "blocked":
      return { icon: "?", colour: "yellow", detail: `${waitText(node.waitingReason)}${turn}${cost}` };
    case "queued":
      return { icon: "○", colour: "gray", detail: `waits: ${node.waitingReason ?? "queued"}` };
    case "skipped":
      return { icon: "–", colour: "gray", detail: `skipped${after(node.errorCode ?? node.waitingReason)}` };
    case "cancelled":
      return { icon: "×", colour: "gray", detail: `cancelled${after(node.errorCode)}` };
    case "pending":
    case "invalidated":
    case "awaiting_dependency":
      return { icon: "·", colour: "gray", detail: "" };
  }
}

function after(reason: string | null): string {
  return reason === null ? "" : `: ${oneLine(reason)}`;
}

function foldText(fold: Fold | undefined): string {
  if (fold === undefined) return "";
  return ` ${fold.settled}/${fold.total}${fold.failed > 0 ? `, ${fold.failed} failed` : ""}`;
}
