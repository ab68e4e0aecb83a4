export * from "./approval-text.ts";
export { type EventFrame, eventOfFrame, frameEvent } from "./frame.ts";
export { type NodeResult } from "./node-result.ts";
export { projectRun, projectView, type RunProjection } from "./projection.ts";
export { applyToView, reduceRun } from "./reduce.ts";
export { relaunchText } from "./relaunch-text.ts";
export {
  type ApprovalView,
  createView,
  NO_RESULT,
  type NodeView,
  outlineOf,
  type PlanOutline,
  type RunView,
} from "./run-view.ts";
export { epochMsFromIso, isoFromEpochMs } from "./timestamp.ts";
export { isUpstreamFailure } from "./upstream-failure.ts";
export { WAITING_TEXTS } from "./waiting-text.ts";
