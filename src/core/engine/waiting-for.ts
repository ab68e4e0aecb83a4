import { isTerminal, type OwnWait } from "../event/index.ts";
import type { RunState } from "./state.ts";

/**
 * Returns what a run itself waits for: a person, as soon as any node waits for an answer. Child runs, limits, events and
 * times count only when nothing else in the run is in progress.
 */
export function waitingForOf(state: RunState): OwnWait | null {
  const { place, status, counts, waits, expandedRunning, childRunning, limitedNodes } = state;
  if (isTerminal(status)) return null;
  if (place?.standing === "waiting") return "gate";
  if (counts.blocked > waits.event + waits.timer + waits.child) return "person";
  if (counts.running + counts.streaming - expandedRunning - childRunning > 0) return null;
  if (childRunning + waits.child > 0) return "child";
  if (limitedNodes > 0) return "gate";
  if (waits.event > 0) return "event";
  return counts.retrying + waits.timer > 0 ? "timer" : null;
}
