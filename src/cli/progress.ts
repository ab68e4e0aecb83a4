import type { RunEvent } from "../core/event/index.ts";
import { isUpstreamFailure, type NodeView, type RunView } from "../core/view/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, type Paint } from "./terminal-text.ts";
import { TurnLines } from "./turn-lines.ts";

/** Shows how a run goes. */
export interface Progress {
  /** The view has the events folded into it already. Of a block: with the nodes it stands in. */
  readonly show: (view: RunView, events: readonly RunEvent[], around?: readonly string[]) => void;
  /** Leaves the terminal alone until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly finish: () => void;
}

const nothing = (): void => undefined;

export const SILENT: Progress = { show: nothing, pause: nothing, resume: nothing, finish: nothing };

/** One line per thing that happened, for logs and pipes. Elements are folded: only their failures are shown. */
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

/** Rounds follow one another, and each is news. */
function isRound({ nodes }: RunView, id: string): boolean {
  return nodes.get(id.slice(0, id.lastIndexOf("[")))?.isRepeated === true;
}

/** What comes last belongs to no node. */
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
      // With what its rounds have cost before.
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
      // A handler that was not needed is no news.
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

/** Icon, text beside the id, and colour. */
export interface NodeLine {
  readonly icon: string;
  readonly colour: Parameters<Paint>[0];
  readonly detail: string;
}

/** What the view of a node alone does not hold. */
export interface NodeAside {
  readonly now: number;
  /** When a node that failed is tried again. */
  readonly retryAt: number | undefined;
  readonly fold: Fold | undefined;
  /** How far the turn of its agent is; empty: it has none. */
  readonly turn: string;
}

/** The instances of a node, counted. */
export interface Fold {
  readonly total: number;
  readonly settled: number;
  readonly failed: number;
}

const TAIL_LENGTH = 60;

/** A node as it is now, in one line. */
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
