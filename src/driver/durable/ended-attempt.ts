import { type AttemptKey, isSettling, type RunEvent } from "../../core/event/index.ts";

/**
 * Returns the attempt that an event ends, or undefined. A node that settles, is tried again or is blocked has no
 * attempt any more. The same holds when an execution was lost and another execution continues its attempt.
 */
export function endedAttempt(event: RunEvent): AttemptKey | undefined {
  if (event.type === "node.queued" && event.payload.segment === undefined) return undefined;
  if (!isSettling(event) && !ENDING.has(event.type)) return undefined;
  const { nodeId, attempt } = event.payload as { readonly nodeId: string; readonly attempt?: number };
  return attempt === undefined ? undefined : { nodeId, attempt };
}

const ENDING: ReadonlySet<RunEvent["type"]> = new Set(["node.retried", "node.blocked", "node.queued"]);
