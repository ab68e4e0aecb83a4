import type { RunEvent } from "../../core/event/index.ts";
import type { AttemptKey } from "../../store/index.ts";

const ATTEMPT_ENDS: ReadonlySet<RunEvent["type"]> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.skipped",
  "node.cancelled",
  "node.retried",
  "node.blocked",
]);

/** The attempt an event puts an end to, if it does. */
export function endedAttempt(event: RunEvent): AttemptKey | undefined {
  if (!ATTEMPT_ENDS.has(event.type) || !("nodeId" in event.payload)) return undefined;
  const { nodeId, attempt } = event.payload;
  return attempt === undefined ? undefined : { nodeId, attempt };
}

const SETTLING: ReadonlySet<RunEvent["type"]> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.skipped",
  "node.cancelled",
]);

/** Nodes that are done, by what the events say. */
export function settledIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap(({ type, payload }) => (SETTLING.has(type) && "nodeId" in payload ? [payload.nodeId] : []));
}

export function keyOf({ nodeId, attempt }: AttemptKey): string {
  return `${nodeId}/${attempt}`;
}
