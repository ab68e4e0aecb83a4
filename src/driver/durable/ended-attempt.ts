import { type AttemptKey, isSettling, type RunEvent } from "../../core/event/index.ts";

/**
 * The attempt an event puts an end to, if it does: a node that settles, is tried again or is blocked has none any more,
 * and neither has one whose execution was lost and is continued by another.
 */
export function endedAttempt(event: RunEvent): AttemptKey | undefined {
  if (event.type === "node.queued" && event.payload.segment === undefined) return undefined;
  if (!isSettling(event) && !ENDING.has(event.type)) return undefined;
  const { nodeId, attempt } = event.payload as { readonly nodeId: string; readonly attempt?: number };
  return attempt === undefined ? undefined : { nodeId, attempt };
}

const ENDING: ReadonlySet<RunEvent["type"]> = new Set(["node.retried", "node.blocked", "node.queued"]);
