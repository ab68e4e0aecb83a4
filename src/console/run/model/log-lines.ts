import type { EventType, RunEvent } from "../../../core/event/index.ts";
import { detailOf, lookOfEvent } from "./event-text.ts";

export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of the log of a run: a log entry of a node, or an event about it. */
export interface LogLine {
  readonly eventId: number;
  readonly level: LogLevel;
  readonly event: RunEvent;
}

const LEVELS: Readonly<Partial<Record<EventType, LogLevel>>> = {
  "run.started": "info",
  "run.completed": "info",
  "run.failed": "error",
  "run.timed_out": "error",
  "run.cancelled": "warning",
  "run.rewound": "warning",
  "run.recovered": "info",
  "node.queued": "debug",
  "node.started": "info",
  "node.retried": "warning",
  "node.completed": "info",
  "node.failed": "error",
  "node.timed_out": "error",
  "node.handled": "warning",
  "node.cancelled": "warning",
  "node.skipped": "info",
  "node.blocked": "warning",
  "moderation.flagged": "warning",
  "contract.violated": "error",
  "approval.requested": "info",
  "approval.resolved": "info",
  "round.completed": "debug",
  "tool.requested": "debug",
  "tool.decided": "debug",
  "tool.completed": "debug",
  "child.started": "info",
  "child.finished": "info",
};

/** Returns the level of an event. Null when the event is not part of the log. */
export function levelOf(event: RunEvent): LogLevel | null {
  if (event.type === "node.log") return event.payload.level;
  if (event.type === "tool.completed" && event.payload.isError) return "warning";
  if (event.type === "tool.decided" && event.payload.disposition !== "allow") return "warning";
  // The node did not fail itself. It did not run because another node failed.
  if (event.type === "node.failed" && event.payload.errorCode === "upstream_failure") return "debug";
  return LEVELS[event.type] ?? null;
}

/** The log of a whole run, folded one event at a time. */
export class LogLines {
  readonly all: LogLine[] = [];

  take(event: RunEvent): void {
    const level = levelOf(event);
    if (level !== null) this.all.push({ eventId: event.eventId, level, event });
  }

  /** Returns the lines of a level and above that contain a text. */
  matching(least: LogLevel, text: string): readonly LogLine[] {
    const from = LOG_LEVELS.indexOf(least);
    const wanted = text.trim().toLowerCase();
    if (from === 0 && wanted === "") return this.all;
    return this.all.filter(
      (line) =>
        LOG_LEVELS.indexOf(line.level) >= from && (wanted === "" || lineText(line).toLowerCase().includes(wanted)),
    );
  }
}

/** Returns the text that is searched and shown: the node, the kind of event and its details. */
export function lineText({ event }: LogLine): string {
  const node = "nodeId" in event.payload ? `${event.payload.nodeId} ` : "";
  return `${node}${messageOf(event)}`;
}

export function messageOf(event: RunEvent): string {
  if (event.type === "node.log") return event.payload.message;
  const detail = detailOf(event);
  return `${lookOfEvent(event).label}${detail === "" ? "" : `: ${detail}`}`;
}
