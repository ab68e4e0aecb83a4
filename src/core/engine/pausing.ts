/**
 * A paused run begins nothing: no node is dispatched, no child run starts, nothing is calculated. Work in flight ends.
 * Timers,
 * answers and events are accepted, and take effect when the run is resumed.
 */
import { isTerminal } from "../event/index.ts";
import type { PauseInput, ResumeInput } from "./input.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { RunState } from "./state.ts";
import { emit, perform, setTimer, type Turn } from "./turn.ts";

/** True when the run, its parent, its workflow or its organisation is paused. A run that winds down is never held. */
export function isHeld({ state, isPausedAround }: Pick<Turn, "state" | "isPausedAround">): boolean {
  return state.ending === null && (isPausedAround || state.paused !== null || state.pausedWithParent !== null);
}

/** An existing pause stays as it is. */
export function onPause(turn: Turn, { by, byId, reason, isByParent }: PauseInput): Refusal | undefined {
  const { state } = turn;
  if (state.startedAt === null) return refuse("not_started", "the run has not started");
  const refusal = refuseEnded(state);
  if (refusal !== undefined) return refusal;
  if ((isByParent === true ? state.pausedWithParent : state.paused) !== null) return undefined;
  const wasPaused = isPaused(state);
  emit(turn, "run.paused", { ...named(by, byId, reason), ...ofParent(isByParent) });
  if (!wasPaused) passPauseToChildren(turn);
  return undefined;
}

export function onResume(turn: Turn, { by, byId, reason, isByParent }: ResumeInput): Refusal | undefined {
  const { state } = turn;
  if (isTerminal(state.status)) return refuseEnded(state);
  const isOwn = isByParent !== true;
  if (isOwn && state.paused === null && state.pausedWithParent !== null)
    return refuse("paused_with_parent", `the run is paused with run ${state.parentRunId ?? ""}; resume that one`);
  if ((isOwn ? state.paused : state.pausedWithParent) === null) return undefined;
  emit(turn, "run.resumed", { ...named(by, byId, reason), ...ofParent(isByParent) });
  if (!isPaused(state)) passPauseToChildren(turn);
  return undefined;
}

/** The run winds down, so child runs that were paused with it are no longer held. */
export function releasePausedChildren(turn: Turn): void {
  if (isPaused(turn.state)) passPauseToChildren(turn);
}

function isPaused({ paused, pausedWithParent }: RunState): boolean {
  return paused !== null || pausedWithParent !== null;
}

function refuseEnded({ status, ending }: RunState): Refusal | undefined {
  if (isTerminal(status)) return refuse("run_finished", `the run is already ${status}`);
  return ending === null ? undefined : refuse("run_ending", `the run is about to end as ${ending.as}`);
}

/** When a child has not received the change after this time, it is sent again. */
const PAUSED_WITHIN_MS = 3_000;

/** Pauses or resumes the child runs with the run. */
function passPauseToChildren(turn: Turn): void {
  for (const childRunId of turn.state.liveChildren) {
    perform(turn, { type: "pause-child", childRunId });
    setTimer(turn, { kind: "child-pause", nodeId: "", attempt: 0, childRunId }, turn.at + PAUSED_WITHIN_MS);
  }
}

function named(by: string | undefined, byId: string | undefined, reason: string | undefined) {
  return {
    ...(by === undefined ? {} : { by }),
    ...(byId === undefined ? {} : { byId }),
    ...(reason === undefined || reason === "" ? {} : { reason }),
  };
}

function ofParent(isByParent: true | undefined): { readonly isWithParent?: true } {
  return isByParent === true ? { isWithParent: true } : {};
}

/** Returns the pause that applies to child runs. A run that winds down does not hold them. */
export function heldPauseOf(state: RunState): RunState["paused"] {
  return state.ending === null ? pauseOf(state) : null;
}

/** Returns the pause to show. The run's own pause takes precedence. */
export function pauseOf({ paused, pausedWithParent }: RunState): RunState["paused"] {
  return paused ?? pausedWithParent;
}
