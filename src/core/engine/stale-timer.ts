import { findNode } from "./move.ts";
import { roundOf } from "./rounds.ts";
import type { RunState } from "./state.ts";
import type { Timer } from "./timer.ts";

/**
 * True when the timer can change nothing in this state or any later one, so that its row can be deleted.
 * Deadlines end with their attempts and approvals. Timers of children are handled by the driver.
 */
export function isTimerStale(state: RunState, timer: Timer): boolean {
  if (timer.kind === "run") return timer.epoch !== state.epoch;
  if (timer.kind === "continue") return !isWaitingToCompute(state, timer.eventId);
  if (timer.kind === "place") return state.place?.standing !== "waiting";
  if (timer.kind === "round") return roundOf(state, timer) === undefined;
  if (timer.kind !== "retry" && timer.kind !== "queue" && timer.kind !== "wait") return false;
  const node = findNode(state, timer.nodeId);
  if (node === undefined) return true;
  const { now } = node;
  if (timer.kind === "wait") return now.status !== "blocked" || node.epoch !== timer.epoch || now.until !== timer.until;
  if (timer.kind === "retry") return now.status !== "retrying" || node.retries !== timer.retries;
  return now.status !== "queued" || !now.isLimited || now.limitedSince !== timer.limitedSince;
}

/** Entries are in the order of their events, so the entry of this timer is either at the head or gone. */
function isWaitingToCompute({ computing }: RunState, eventId: number): boolean {
  const last = computing.entries.at(-1);
  return last !== undefined && computing.head < computing.entries.length && eventId <= last.eventId;
}
