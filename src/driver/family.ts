import { childCalls, type RunState } from "../core/engine/index.ts";

/**
 * Whether all these runs need a person or an outside event to continue. `open` holds all open runs of a family: a node
 * whose child run is one of them waits as long as that child run does.
 */
export function isFamilyWaiting(open: readonly RunState[]): boolean {
  const ids = new Set(open.map(({ runId }) => runId));
  return open.length > 0 && open.every((state) => isWaitingForOutside(state, ids));
}

function isWaitingForOutside(state: RunState, open: ReadonlySet<string>): boolean {
  const { counts, waits, expandedRunning, liveChildren, nodes } = state;
  // A `for_each` node is running only while its instances are.
  const last = state.finally?.isRunning === true ? 1 : 0;
  const inFlight = counts.running + counts.streaming - expandedRunning + last;
  // Agents that wait for child runs they called are not counted as in flight.
  const called = waits.child === 0 ? 0 : nodes.reduce((sum, node) => sum + childCalls(node).length, 0);
  if (counts.retrying > 0 || inFlight !== liveChildren.size - called) return false;
  // A timer fires without a person, and so does the deadline of a wait.
  if (waits.timer > 0 || (waits.event > 0 && nodes.some(({ now }) => now.status === "blocked" && now.until !== null)))
    return false;
  if ([...liveChildren].some((childRunId) => !open.has(childRunId))) return false;
  // Nodes queued only by a limit of the run start when other nodes end. A node held by a gate may continue at any time.
  return counts.queued === 0 || !nodes.some(({ now }) => now.status === "queued" && now.isLimited);
}
