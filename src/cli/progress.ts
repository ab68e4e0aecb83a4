import type { NodeState, RunState } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, type Paint } from "./terminal-text.ts";

/** Shows how a run goes. */
export interface Progress {
  readonly show: (state: RunState, events: readonly RunEvent[]) => void;
  /** Leaves the terminal alone until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly finish: () => void;
}

const nothing = (): void => undefined;

export const SILENT: Progress = { show: nothing, pause: nothing, resume: nothing, finish: nothing };

/** One line per thing that happened, for logs and pipes. Instances are folded: only their failures are told. */
export function createLineProgress(io: Io): Progress {
  const paint = createPaint(io.err, io.env);
  return {
    ...SILENT,
    show(state, events) {
      if (state.parentRunId !== null) return;
      for (const event of events) {
        const line = lineOf(event, paint);
        if (line !== null) io.err.write(`${line}\n`);
      }
    },
  };
}

function lineOf(event: RunEvent, paint: Paint): string | null {
  if (!("nodeId" in event.payload)) return null;
  const id = oneLine(event.payload.nodeId);
  if (id.includes("[") && event.type !== "node.failed" && event.type !== "node.timed_out") return null;
  switch (event.type) {
    case "node.started":
      return (event.payload.attempt ?? 0) > 1 ? `▸ ${id} attempt ${event.payload.attempt}` : `▸ ${id}`;
    case "node.completed": {
      const { durationMs, costMicros } = event.payload;
      return `${paint("green", "✓")} ${id} ${formatDuration(durationMs)}${costMicros > 0 ? ` ${formatCost(costMicros)}` : ""}`;
    }
    case "node.failed":
    case "node.timed_out":
      return `${paint("red", "✗")} ${id} ${event.payload.errorCode}: ${oneLine(event.payload.errorMessage)}`;
    case "node.retried":
      return `${paint("yellow", "↻")} ${id} again in ${formatDuration(event.payload.delayMs)}: ${event.payload.errorCode}`;
    case "node.blocked":
      return `${paint("yellow", "?")} ${id} waits for a person`;
    case "node.skipped":
      return `${paint("gray", "–")} ${id} skipped (${event.payload.reason})`;
    case "node.cancelled":
      return `${paint("gray", "×")} ${id} cancelled (${oneLine(event.payload.reason)})`;
    case "node.expanded":
      return `▸ ${id} runs ${event.payload.count} times`;
    case "node.log":
      return `${paint("yellow", "!")} ${id} ${oneLine(event.payload.message)}`;
    default:
      return null;
  }
}

/** Icon, what to say beside the id, and how loud. */
export interface NodeLine {
  readonly icon: string;
  readonly colour: Parameters<Paint>[0];
  readonly detail: string;
}

/** A node as it is now, in one line. */
export function describeNode(node: NodeState, now: number, streamed: string): NodeLine {
  const cost = node.costMicros > 0 ? ` ${formatCost(node.costMicros)}` : "";
  const current = node.now;
  switch (current.status) {
    case "running":
    case "streaming": {
      const tries = current.attempt > 1 ? ` attempt ${current.attempt}` : "";
      const said = streamed === "" ? "" : `  ${streamed}`;
      const elapsed = formatDuration(Math.max(0, now - current.startedAt));
      return { icon: "●", colour: "cyan", detail: `${elapsed}${cost}${tries}${foldOf(node)}${said}` };
    }
    case "completed":
      return { icon: "✓", colour: "green", detail: `${formatDuration(current.durationMs)}${cost}${foldOf(node)}` };
    case "failed":
    case "timed_out":
      return {
        icon: "✗",
        colour: "red",
        detail: `${current.errorCode}: ${oneLine(current.errorMessage)}${cost}${foldOf(node)}`,
      };
    case "retrying": {
      const rest = formatDuration(Math.max(0, current.until - now));
      return { icon: "↻", colour: "yellow", detail: `again in ${rest}: ${current.errorCode}${cost}` };
    }
    case "blocked":
      return { icon: "?", colour: "yellow", detail: `waits for a person${cost}` };
    case "queued":
      return { icon: "○", colour: "gray", detail: `waits: ${current.waitingReason}` };
    case "skipped":
      return { icon: "–", colour: "gray", detail: `skipped: ${current.reason}` };
    case "cancelled":
      return { icon: "×", colour: "gray", detail: `cancelled: ${oneLine(current.reason)}` };
    case "pending":
    case "invalidated":
    case "awaiting_dependency":
      return { icon: "·", colour: "gray", detail: "" };
  }
}

/** The instances of a node, folded into counts. */
function foldOf({ expansion }: NodeState): string {
  if (expansion === null) return "";
  const failed = expansion.failed > 0 ? `, ${expansion.failed} failed` : "";
  return ` ${expansion.settled}/${expansion.members.length}${failed}`;
}
