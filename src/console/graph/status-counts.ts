import { NODE_STATUSES, type NodeStatus } from "../../core/event/index.ts";
import type { NodeView } from "../../core/view/index.ts";

export type StatusCounts = ReadonlyMap<NodeStatus, number>;

/** How many of some nodes stand where, as a text that is the same as long as the counts are. */
export function countsText(ids: readonly string[], node: (id: string) => NodeView | undefined): string {
  const counts = new Map<NodeStatus, number>();
  for (const id of ids) {
    const status = node(id)?.status ?? "pending";
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return NODE_STATUSES.filter((status) => counts.has(status))
    .map((status) => `${status} ${counts.get(status) ?? 0}`)
    .join(",");
}

export function readCounts(text: string): StatusCounts {
  const pairs = text === "" ? [] : text.split(",").map((part) => part.split(" "));
  return new Map(pairs.map(([status, count]) => [status as NodeStatus, Number(count)]));
}

/** What a whole group looks like from afar: whatever needs a look first. */
const URGENCY: readonly NodeStatus[] = [
  "failed",
  "timed_out",
  "blocked",
  "retrying",
  "streaming",
  "running",
  "queued",
  "awaiting_dependency",
  "pending",
  "invalidated",
  "cancelled",
  "completed",
  "skipped",
];

export function urgentOf(counts: StatusCounts): NodeStatus {
  return URGENCY.find((status) => counts.has(status)) ?? "pending";
}
