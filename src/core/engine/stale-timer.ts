import { findNode } from "./move.ts";
import { roundOf } from "./rounds.ts";
import type { RunState } from "./state.ts";
import type { Timer } from "./timer.ts";

/**
 * True when the timer can change nothing in this state, nor in any that follows from it, so that its row can go.
 * Deadlines of attempts and approvals go with them; timers of children are the driver's.
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

/** Entries stand in the order of their events, so that the one of this timer is at the head or gone. */
function isWaitingToCompute({ computing }: RunState, eventId: number): boolean {
  const last = computing.entries.at(-1);
  return last !== undefined && computing.head < computing.entries.length && eventId <= last.eventId;
}
