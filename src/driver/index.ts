export type { AnswerApproval, ApprovalAnswer } from "./approval-desk.ts";
export { createAllowAllJudge, type Judge } from "./judge.ts";
export { completedLeaves } from "./leaf-outputs.ts";
export { LocalDriver, type LocalDriverOptions, type PinnedWorkflow, type Settlement } from "./local-driver.ts";
export type { PendingApproval } from "./memory-store.ts";
export { newRunId } from "./run-id.ts";
