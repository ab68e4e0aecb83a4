import { NODE_STATUSES } from "../../core/event/index.ts";
import type { NodeView } from "../../core/view/index.ts";
import { nodeLook, type NodeLook } from "../parts/status.tsx";

export type StatusCounts = ReadonlyMap<NodeLook, number>;

const LOOKS: readonly NodeLook[] = [
  ...NODE_STATUSES,
  "partly_failed",
  "handled",
  "waiting_time",
  "waiting_event",
  "upstream_failure",
];

/** Counts nodes per status, as a text that stays equal while the counts are the same. */
export function countsText(ids: readonly string[], node: (id: string) => NodeView | undefined): string {
  const counts = new Map<NodeLook, number>();
  for (const id of ids) {
    const view = node(id);
    const look = view === undefined ? "pending" : nodeLook(view);
    counts.set(look, (counts.get(look) ?? 0) + 1);
  }
  return LOOKS.filter((status) => counts.has(status))
    .map((status) => `${status} ${counts.get(status) ?? 0}`)
    .join(",");
}

export function readCounts(text: string): StatusCounts {
  const pairs = text === "" ? [] : text.split(",").map((part) => part.split(" "));
  return new Map(pairs.map(([status, count]) => [status as NodeLook, Number(count)]));
}

/** Order of urgency. A group seen from far away has the colour of its most urgent node. */
const URGENCY: readonly NodeLook[] = [
  "failed",
  "timed_out",
  "partly_failed",
  "handled",
  "blocked",
  "retrying",
  "streaming",
  "running",
  "waiting_time",
  "waiting_event",
  "queued",
  "awaiting_dependency",
  "pending",
  "invalidated",
  "upstream_failure",
  "cancelled",
  "completed",
  "skipped",
];

export function urgentOf(counts: StatusCounts): NodeLook {
  return URGENCY.find((status) => counts.has(status)) ?? "pending";
}
