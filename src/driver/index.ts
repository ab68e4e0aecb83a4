export type { AnswerApproval, ApprovalAnswer } from "./approval-desk.ts";
export { createAllowAllJudge, type Judge } from "./judge.ts";
export { completedLeaves } from "./leaf-outputs.ts";
export { LocalDriver, type LocalDriverOptions, type PinnedWorkflow, type Settlement } from "./local-driver.ts";
export type { PendingApproval } from "./memory-store.ts";
export { newRunId } from "./run-id.ts";
export { DurableDriver, type DurableDriverOptions } from "./durable/durable-driver.ts";
export {
  type Launch,
  type LaunchOutcome,
  Overloaded,
  type Runtime,
  type RuntimeFigures,
  type RunView,
  type TellOutcome,
} from "./durable/runtime.ts";
export type { Told } from "./told.ts";
