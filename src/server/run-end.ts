import { isRunEnding, type RunEvent, type RunStatus } from "../core/event/index.ts";

/** Returns the status of a run after an event that ends it; null for every other event. */
export function runEndOf(event: RunEvent): RunStatus | null {
  return isRunEnding(event) ? (event.type.slice("run.".length) as RunStatus) : null;
}
