/** The `finally` block: it begins when all nodes have settled and the outcome of the run is known. */
import { type Failure, LIMITS, required } from "../base/index.ts";
import { FINALLY } from "../plan/index.ts";
import { isTerminal } from "../event/index.ts";
import { bindFree, ownerOf } from "./blocks.ts";
import { recordRunCost } from "./cost.ts";
import type { StartChild } from "./effect.ts";
import { stopChild } from "./ending-child.ts";
import type { ChildFinishedInput } from "./input.ts";
import { usageSince, lineageOf, namedIn, STARTED_WITHIN_MS } from "./child-call.ts";
import { withNames } from "./named-args.ts";
import type { RunState } from "./state.ts";
import type { FinallyState, RunOutcome } from "./block-state.ts";
import { deriveId, emit, perform, setTimer, type Turn } from "./turn.ts";
import { sceneOfRun } from "./value.ts";

/** `finally` has one run per ending, so its attempt is always 1. */
const ATTEMPT = 1;

export function startFinally(turn: Turn, outcome: RunOutcome): void {
  const { state } = turn;
  const childRunId = deriveId(turn, "run");
  const { as, reason, errorCode, errorMessage, outputs } = outcome;
  emit(turn, "run.finally", {
    childRunId,
    as,
    ...(reason === null ? {} : { reason }),
    ...(errorCode === null ? {} : { errorCode }),
    ...(errorMessage === null ? {} : { errorMessage }),
    ...(outputs === null ? {} : { outputs }),
  });
  if (state.recursionDepth >= LIMITS.recursionDepthMax) {
    const errorMessage = `finally would be run ${state.recursionDepth + 1} levels deep, the limit is ${LIMITS.recursionDepthMax}`;
    emit(turn, "run.finally.ended", { childRunId, status: "failed", errorCode: "recursion_limit", errorMessage });
    return;
  }
  perform(turn, finallyCall(state, childRunId));
  setTimer(turn, { kind: "child", nodeId: FINALLY, attempt: ATTEMPT, childRunId }, turn.at + STARTED_WITHIN_MS);
}

function finallyCall(state: RunState, childRunId: string): StartChild {
  const { block, scope, with: values } = required(state.plan.finally, "the plan has something that comes last");
  return {
    type: "start-child",
    nodeId: FINALLY,
    attempt: ATTEMPT,
    childRunId,
    workflow: { name: state.workflow, version: null },
    block,
    owner: ownerOf(state),
    args: bindFree(sceneOfRun(withNames(state), scope), values),
    ...namedIn(state),
    ...lineageOf(state),
    ...(state.startedBy === null ? {} : { startedBy: state.startedBy }),
    recursionDepth: state.recursionDepth + 1,
  };
}

/** Rebuilds the start of `finally` from the log. Null when the run no longer waits for it. */
export function finallyCallOf(state: RunState, childRunId: string): StartChild | null {
  const { finally: last } = state;
  return last?.isRunning === true && last.childRunId === childRunId ? finallyCall(state, childRunId) : null;
}

/** A cancel while `finally` runs ends `finally` and is recorded. The outcome of the run does not change. */
export function cancelFinally(turn: Turn, { outcome }: FinallyState, reason: string): void {
  const { as, errorCode } = outcome;
  emit(turn, "run.ending", { as, reason, ...(errorCode === null ? {} : { errorCode }) });
  stopFinally(turn);
}

/** Cancels `finally`. The outcome of the run does not change. */
export function stopFinally(turn: Turn): void {
  const { finally: last } = turn.state;
  if (last?.isRunning === true) stopChild(turn, FINALLY, ATTEMPT, last.childRunId);
}

export function onFinallyFinished(turn: Turn, input: ChildFinishedInput): void {
  const { state } = turn;
  const { childRunId, status } = input;
  const known = state.childCosts.get(childRunId);
  if (known === undefined) return;
  const isLive = state.liveChildren.has(childRunId) && !isTerminal(state.status);
  recordRunCost(turn, FINALLY, ATTEMPT, usageSince(input, known), { isLate: !isLive, childRunId });
  if (!isLive) return;
  const failure = failureOf(input);
  const error = failure === null ? {} : { errorCode: failure.code, errorMessage: failure.message };
  emit(turn, "run.finally.ended", { childRunId, status, ...error });
}

/** Returns the failure of `finally`. A cancelled one has not failed. */
function failureOf({ status, errorMessage, ends }: ChildFinishedInput): Failure | null {
  if (status === "completed" || status === "cancelled") return null;
  if (ends !== undefined && ends.errorCode !== null) return { code: ends.errorCode, message: ends.reason };
  if (status === "timed_out") {
    return { code: "finally_timeout", message: `finally took longer than ${LIMITS.finallyMs / 60_000} minutes` };
  }
  return { code: "finally_failed", message: errorMessage ?? "finally failed" };
}
