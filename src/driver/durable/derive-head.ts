import { findNode, pauseOf, type RunState, waitingForOf } from "../../core/engine/index.ts";
import { isRunEnding, isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { Head } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** What lists show of a run, after the events of a commit. */
export function deriveHead({ run, state }: DrivenRun, events: readonly RunEvent[]): Head {
  return {
    status: state.status,
    epoch: state.epoch,
    lastEventId: state.lastEventId,
    costMicros: state.costMicros,
    startedAt: state.startedAt,
    endedAt: state.endedAt,
    waitingFor: waitingForOf(state),
    paused: pauseOf(state),
    errorCode: state.errorCode === null ? null : lineOf(state.errorCode),
    errorMessage: isTerminal(state.status) ? errorTextOf(run, state, events) : null,
  };
}

/** Why it ended without having completed; what it spends later changes nothing about that. */
function errorTextOf(
  { errorMessage }: Pick<Head, "errorMessage">,
  state: RunState,
  events: readonly RunEvent[],
): string | null {
  const end = events.findLast(isRunEnding);
  if (end === undefined) return errorMessage;
  if (end.type === "run.completed" || end.payload.reason === undefined) return null;
  return lineOf([end.payload.reason, ...causeOf(state)].join(": "));
}

/** What the node reported that ended the run. */
function causeOf(state: RunState): readonly string[] {
  const now = state.haltedBy === null ? undefined : findNode(state, state.haltedBy)?.now;
  return now?.status === "failed" || now?.status === "timed_out" ? [now.errorMessage] : [];
}

const LINE_LENGTH_MAX = 500;

/** A column cannot hold NUL, and a list shows one line. */
export function lineOf(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, LINE_LENGTH_MAX);
}

/** A run is found by what it has come to when it ends, and by what it has done so far when it begins to wait. */
export function isReindexed({ run }: DrivenRun, head: Head, events: readonly RunEvent[]): boolean {
  if (run.block !== null) return false;
  const { waitingFor, status, costMicros } = head;
  if (waitingFor !== null && waitingFor !== run.waitingFor) return true;
  // What it spends after its end belongs to it as well.
  return isTerminal(status) && (costMicros !== run.costMicros || events.some(isRunEnding));
}
