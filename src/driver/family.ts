import { childCalls, type RunState } from "../core/engine/index.ts";

/**
 * Whether none of these runs continues without a person, or an event from outside. They are all the open runs of a family: a node whose child run
 * is one of them waits as long as that does.
 */
export function isFamilyWaiting(open: readonly RunState[]): boolean {
  const ids = new Set(open.map(({ runId }) => runId));
  return open.length > 0 && open.every((state) => isResting(state, ids));
}

function isResting(state: RunState, open: ReadonlySet<string>): boolean {
  const { counts, waits, expandedRunning, liveChildren, nodes } = state;
  // A `for_each` node runs only as far as its instances do.
  const last = state.finally?.isRunning === true ? 1 : 0;
  const inFlight = counts.running + counts.streaming - expandedRunning + last;
  // Agents whose calls are runs of their own wait without being in flight.
  const called = waits.child === 0 ? 0 : nodes.reduce((sum, node) => sum + childCalls(node).length, 0);
  if (counts.retrying > 0 || inFlight !== liveChildren.size - called) return false;
  // A moment comes by itself, and so does the end of a wait that has one.
  if (waits.timer > 0 || (waits.event > 0 && nodes.some(({ now }) => now.status === "blocked" && now.until !== null)))
    return false;
  if ([...liveChildren].some((childRunId) => !open.has(childRunId))) return false;
  // Nodes that only wait their turn in the run get it when something ends; a gate may let others go at any time.
  return counts.queued === 0 || !nodes.some(({ now }) => now.status === "queued" && now.isLimited);
}
