import { type AttemptKey, isSettling, type RunEvent } from "../../core/event/index.ts";

/** The attempt an event puts an end to, if it does: a node that settles, is tried again or is blocked has none any more. */
export function endedAttempt(event: RunEvent): AttemptKey | undefined {
  if (!isSettling(event) && event.type !== "node.retried" && event.type !== "node.blocked") return undefined;
  const { nodeId, attempt } = event.payload;
  return attempt === undefined ? undefined : { nodeId, attempt };
}
