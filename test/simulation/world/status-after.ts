import type { NodeStatus, RunEvent } from "../../../src/core/event/index.ts";

/** The status an event puts its node into; null: unchanged. Written apart from the core, because checkers rely on it. */
export function statusAfter(event: RunEvent, before: NodeStatus): NodeStatus | null {
  switch (event.type) {
    case "node.queued":
      return "queued";
    case "node.expanded":
    case "node.started":
      return "running";
    case "node.stream.delta":
      return "streaming";
    case "node.retried":
      return "retrying";
    case "node.blocked":
      return "blocked";
    case "node.completed":
      return "completed";
    case "node.failed":
      return "failed";
    case "node.timed_out":
      return "timed_out";
    case "node.cancelled":
      return "cancelled";
    case "node.skipped":
      return "skipped";
    case "node.invalidated":
      return "invalidated";
    case "node.waiting":
      return before === "pending" || before === "invalidated" ? "awaiting_dependency" : null;
    default:
      return null;
  }
}
