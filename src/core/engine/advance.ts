/**
 * `advance` decides the effect of one input on one run. It reads the state, emits events (each is folded at once, so that
 * the state is always the fold of the log) and returns effects. It does nothing else and uses no clock, randomness or I/O.
 *
 * E1 no node starts before all its parents are settled, or as many as its `join` names have completed · E2 a settled
 * node changes only through `invalidated` ·
 * E3 at most one open attempt per node · E4 at most one result applied per attempt · E5 a finished run emits nothing but
 * cost · E6 every run settles or names what it waits for · E7 an input submitted twice has the effect of one · E11 skipped
 * nodes never dispatch · E12 a cancelled run dispatches nothing, and a paused one begins nothing · E13 event ids count 1,
 * 2, 3, …
 */
import { LIMITS } from "../base/index.ts";
import { isTerminal, type RunEvent } from "../event/index.ts";
import { onChildFinished } from "./children.ts";
import { computeReady, continueLater } from "./computing.ts";
import type { Effect } from "./effect.ts";
import { finishIfDone, windDown } from "./ending.ts";
import { judgeFailure } from "./handling.ts";
import { cancelFinally } from "./finally.ts";
import type { CancelInput, Input } from "./input.ts";
import { collectInstances } from "./instances.ts";
import { nodeAt } from "./move.ts";
import { onApproval } from "./on-approval.ts";
import { onCallback, onStream } from "./on-callback.ts";
import { onResolve } from "./on-resolve.ts";
import { onRound, onRoundVerdict, onToolCall, onToolResult } from "./on-round.ts";
import { onTimer } from "./on-timer.ts";
import { onToolVerdict } from "./on-tool-verdict.ts";
import { onVerdict } from "./on-verdict.ts";
import { onPause, onResume } from "./pausing.ts";
import { onAdmit } from "./places.ts";
import { decideNode, pump } from "./proceed.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { onRecover, onRewind } from "./reopen.ts";
import { onStart } from "./start.ts";
import type { RunState } from "./state.ts";
import { closeCallQuestions } from "./tool-answer.ts";
import { beginTurn, type Turn } from "./turn.ts";
import { onEvent } from "./waits.ts";

export interface Advance {
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  /** Set when the input was refused. Events returned with a refusal only record it. */
  readonly refusal?: Refusal;
}

/** Changes `state` by applying the events it returns. When they cannot be committed, the caller must drop the state. */
export function advance(state: RunState, input: Input): Advance {
  const turn = beginTurn(state, input);
  const refusal = take(turn, input);
  // E5. A run that was ended from outside because of a bug may still hold nodes that seem able to continue.
  if (!isTerminal(state.status)) {
    runToRest(turn);
    endIfTooLong(turn);
    continueLater(turn);
    finishIfDone(turn);
  }
  const { events, effects } = turn;
  return refusal === undefined ? { events, effects } : { events, effects, refusal };
}

function take(turn: Turn, input: Input): Refusal | undefined {
  switch (input.type) {
    case "start":
      return onStart(turn, input);
    case "verdict":
      return onVerdict(turn, input);
    case "callback":
      return onCallback(turn, input);
    case "round":
      return onRound(turn, input);
    case "round_verdict":
      return onRoundVerdict(turn, input);
    case "tool_call":
      return onToolCall(turn, input);
    case "tool_verdict":
      return onToolVerdict(turn, input);
    case "tool_result":
      return onToolResult(turn, input);
    case "stream":
      onStream(turn, input);
      return undefined;
    case "approval":
      return onApproval(turn, input);
    case "timer":
      onTimer(turn, input.timer);
      return undefined;
    case "child_finished":
      onChildFinished(turn, input);
      return undefined;
    case "cancel":
      return onCancel(turn, input);
    case "rewind":
      return onRewind(turn, input);
    case "recover":
      return onRecover(turn, input);
    case "resolve":
      return onResolve(turn, input);
    case "event":
      return onEvent(turn, input);
    case "pause":
      return onPause(turn, input);
    case "resume":
      return onResume(turn, input);
    case "admit":
      return onAdmit(turn);
  }
}

function onCancel(turn: Turn, input: CancelInput): Refusal | undefined {
  const { state } = turn;
  if (isTerminal(state.status)) return refuse("run_finished", `the run is already ${state.status}`);
  if (state.finally !== null) {
    if (input.isByParent !== true) cancelFinally(turn, state.finally, input.reason);
    return undefined;
  }
  if (state.ending?.as === "cancelled" || state.ending?.as === "timed_out") return undefined;
  windDown(turn, { as: "cancelled", reason: input.reason });
  return undefined;
}

/** The log of a run has a maximum length. At the limit, work in flight is cancelled and the run fails. */
function endIfTooLong(turn: Turn): void {
  const { state } = turn;
  if (state.lastEventId < LIMITS.eventsPerRunMax || state.ending !== null || state.unsettledNodes === 0) return;
  const reason = `the run has written ${state.lastEventId} events, the limit is ${LIMITS.eventsPerRunMax}`;
  windDown(turn, { as: "failed", reason, errorCode: "too_many_events", failed: null, isFailFast: true });
  runToRest(turn);
}

/** Decides until nothing is left to decide: a settled node can make other nodes ready, and can free places for waiting nodes. */
function runToRest(turn: Turn): void {
  const { state, toDecide, toCollect, toJudge } = turn;
  let decided = 0;
  let collected = 0;
  let judged = 0;
  const hasMore = (): boolean => decided < toDecide.length || collected < toCollect.length || judged < toJudge.length;
  do {
    while (hasMore()) {
      const expanded = toCollect[collected];
      const ready = toDecide[decided];
      const failed = toJudge[judged];
      if (expanded !== undefined) {
        collected += 1;
        collectInstances(turn, nodeAt(state, expanded));
      } else if (ready !== undefined) {
        decided += 1;
        decideNode(turn, nodeAt(state, ready));
      } else if (failed !== undefined) {
        judged += 1;
        judgeFailure(turn, failed);
      }
    }
    computeReady(turn);
    if (!hasMore()) pump(turn);
  } while (hasMore());
  for (const node of turn.toClose.splice(0)) closeCallQuestions(turn, nodeAt(state, node), "the step has ended");
}
