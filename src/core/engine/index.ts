export { advance, type Advance } from "./advance.ts";
export { apply, replay } from "./apply.ts";
export { isAsked, isYes, OF_LAUNCH, OF_NODE, reachFrom, refuseAnswer, statusAfter } from "./approval-answer.ts";
export { APPROVAL_REMINDERS, digestSubject } from "./approvals.ts";
export { requestOf } from "./bind.ts";
export { childCallOf } from "./children.ts";
export { createRunState, NO_TOKENS } from "./create-state.ts";
export { heldPauseOf, pauseOf } from "./pausing.ts";
export { labelsOf, type RunLabels, textOfLabel } from "./labels.ts";
export { concurrencyKey, placeRule } from "./places.ts";
export { findNode, guaranteeOf, hasReported, isAttemptOpen, isExecutionOpen, openDispatchId } from "./move.ts";
export {
  type AgentTurn,
  ARGS_CHANGED,
  askedOf,
  callIdOf,
  callsAlone,
  childCalls,
  isSameCall,
  type ToolCall,
} from "./agent-turn.ts";
export { withRounds } from "./completing.ts";
export { type BranchEdits, branchWith } from "./branch-edits.ts";
export { branchInTurn, type TurnEdit, type TurnPoint } from "./branch-turn.ts";
export { branchFrom, nodesToRedo, restartFrom } from "./redo.ts";
export { eventsTakenByBlock } from "./taken-events.ts";
export { outputsOfRun, shownOutputs } from "./run-outputs.ts";
export { eventStanding, keyDigest, signalTo } from "./waits.ts";
export { waitingForOf } from "./waiting-for.ts";
export { shownMembers, withinLimit } from "./subject-size.ts";
export { isTimerStale } from "./stale-timer.ts";
export type { Refusal } from "./refusal.ts";
export type * from "./effect.ts";
export type * from "./input.ts";
export type * from "./state.ts";
export type * from "./tool-verdict.ts";
export type * from "./timer.ts";
export { timerKey } from "./timer.ts";
export { billOf, failureFields, reportOf, suspendedReport, WARNINGS_MAX } from "./report.ts";
