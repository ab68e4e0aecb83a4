import { isTerminal, type OwnWait } from "../event/index.ts";
import type { RunState } from "./state.ts";

/**
 * What a run waits for by itself. A person, as soon as something of it waits for an answer; child runs, room at a limit, an
 * event or a moment, when nothing else of it is under way.
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
