export { type Correlation, type EventFrame, eventOfFrame, type FrameContext, frameEvent } from "./frame.ts";
export { type NodeResult } from "./node-result.ts";
export { isPaused, type ProjectionContext, projectRun, projectView, type RunProjection } from "./projection.ts";
export { activeNodeIds, applyToView, reduceRun, unsettledNodeIds } from "./reduce.ts";
export { relaunchText } from "./relaunch-text.ts";
export {
  type ApprovalView,
  createView,
  type NodeView,
  outlineOf,
  type OutlineNode,
  type PlanOutline,
  type RunView,
} from "./run-view.ts";
export { epochMsFromIso, isoFromEpochMs } from "./timestamp.ts";
export { isUpstreamFailure } from "./upstream-failure.ts";
