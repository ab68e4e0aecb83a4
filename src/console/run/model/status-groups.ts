import type { NodeLook, Tone } from "../../parts/status.tsx";

export type StatusGroup = "failed" | "waiting" | "running" | "completed" | "rest";

/** Groups of statuses, the most important first. */
export const STATUS_GROUPS: readonly { readonly id: StatusGroup; readonly label: string; readonly tone: Tone }[] = [
  { id: "failed", label: "Failed", tone: "bad" },
  { id: "waiting", label: "Waiting", tone: "hold" },
  { id: "running", label: "Running", tone: "info" },
  { id: "completed", label: "Completed", tone: "ok" },
  { id: "rest", label: "Not run", tone: "idle" },
];

const GROUPS: Readonly<Record<NodeLook, StatusGroup>> = {
  failed: "failed",
  timed_out: "failed",
  partly_failed: "failed",
  handled: "failed",
  blocked: "waiting",
  waiting_time: "waiting",
  waiting_event: "waiting",
  awaiting_dependency: "waiting",
  queued: "waiting",
  retrying: "waiting",
  pending: "waiting",
  running: "running",
  streaming: "running",
  completed: "completed",
  skipped: "rest",
  cancelled: "rest",
  invalidated: "rest",
  upstream_failure: "rest",
};

export function statusGroup(look: NodeLook): StatusGroup {
  return GROUPS[look];
}

export function countGroups(looks: Iterable<NodeLook>): ReadonlyMap<StatusGroup, number> {
  const counts = new Map<StatusGroup, number>();
  for (const look of looks) {
    const group = GROUPS[look];
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}
