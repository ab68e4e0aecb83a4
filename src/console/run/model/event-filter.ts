import type { RunEvent } from "../../../core/event/index.ts";
import type { EventGroup } from "./event-groups.ts";
import { detailOf, lookOfEvent } from "./event-text.ts";

export const EVENT_KINDS = ["all", "problems", "run", "node", "gate", "approval", "stream", "log", "cost"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface EventFilter {
  readonly kind: EventKind;
  readonly nodeId: string | null;
  readonly text: string;
}

/** Checks whether an event matches the filter. A text is searched in the visible details of the event, ignoring case. */
export function isWanted(event: RunEvent, { kind, nodeId, text }: EventFilter): boolean {
  if (nodeId !== null && !("nodeId" in event.payload && event.payload.nodeId === nodeId)) return false;
  if (!isOfKind(event, kind)) return false;
  if (text === "") return true;
  const shown = `${event.type} ${lookOfEvent(event).label} ${"nodeId" in event.payload ? event.payload.nodeId : ""} ${detailOf(event)}`;
  return shown.toLowerCase().includes(text.toLowerCase());
}

function isOfKind(event: RunEvent, kind: EventKind): boolean {
  switch (kind) {
    case "all":
      return true;
    case "problems":
      return lookOfEvent(event).tone === "bad" || event.type === "node.retried" || isBadLog(event);
    case "run":
      return event.type.startsWith("run.") || event.type.startsWith("child.");
    case "node":
      return event.type.startsWith("node.") && event.type !== "node.stream.delta" && event.type !== "node.log";
    case "gate":
      return event.type === "gate.decided" || event.type === "moderation.flagged" || event.type === "contract.violated";
    case "approval":
      return event.type.startsWith("approval.");
    case "stream":
      return event.type === "node.stream.delta";
    case "log":
      return event.type === "node.log";
    case "cost":
      return event.type === "cost.recorded";
  }
}

function isBadLog(event: RunEvent): boolean {
  return event.type === "node.log" && (event.payload.level === "error" || event.payload.level === "warning");
}

export function isEverything({ kind, nodeId, text }: EventFilter): boolean {
  return kind === "all" && nodeId === null && text === "";
}

/** Returns the groups that contain a matching event. */
export function wantedGroups(
  groups: readonly EventGroup[],
  events: readonly RunEvent[],
  filter: EventFilter,
): readonly EventGroup[] {
  return groups.filter(({ eventIds }) =>
    eventIds.some((id) => {
      const event = events[id - 1];
      return event !== undefined && isWanted(event, filter);
    }),
  );
}
