import { findNode, pauseOf, type RunState, waitingForOf } from "../../core/engine/index.ts";
import { isRunEnding, isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { Head } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Returns the fields of a run that lists show, after the events of a commit. */
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

/** Returns why the run ended without completing. Later spending does not change this text. */
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

/** Returns the error message of the node that ended the run. */
function causeOf(state: RunState): readonly string[] {
  const now = state.haltedBy === null ? undefined : findNode(state, state.haltedBy)?.now;
  return now?.status === "failed" || now?.status === "timed_out" ? [now.errorMessage] : [];
}

const LINE_LENGTH_MAX = 500;

/** Converts a text to one line without control characters, because a column cannot hold NUL and a list shows one line. */
export function lineOf(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, LINE_LENGTH_MAX);
}

/** Returns whether the search data changed: it is written when the run ends, and when it begins to wait for something else. */
export function isReindexed({ run }: DrivenRun, head: Head, events: readonly RunEvent[]): boolean {
  if (run.block !== null) return false;
  const { waitingFor, status, costMicros } = head;
  if (waitingFor !== null && waitingFor !== run.waitingFor) return true;
  // Spending after the end changes the search data too.
  return isTerminal(status) && (costMicros !== run.costMicros || events.some(isRunEnding));
}
