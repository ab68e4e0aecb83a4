import { isTerminal, type WaitingFor } from "../event/index.ts";
import type { RunState } from "./state.ts";

/**
 * What a run waits for. A person, as soon as something of it waits for an answer; room at a limit, an event or a moment,
 * when nothing else of it is under way.
 */
export function waitingForOf({ status, counts, waits, expandedRunning, limitedNodes }: RunState): WaitingFor | null {
  if (isTerminal(status)) return null;
  if (counts.blocked > waits.event + waits.timer) return "person";
  if (counts.running + counts.streaming - expandedRunning > 0) return null;
  if (limitedNodes > 0) return "gate";
  if (waits.event > 0) return "event";
  return counts.retrying + waits.timer > 0 ? "timer" : null;
}
