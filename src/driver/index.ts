export type { ChildPreparer, PreparedChild } from "./durable/children.ts";
export { launchOfChild } from "./durable/launch-of-child.ts";
export { isFamilyWaiting } from "./family.ts";
export { TooManyOpenRuns } from "./durable/open-runs.ts";
export { newRunId } from "./run-id.ts";
export { DurableDriver } from "./durable/durable-driver.ts";
export type { DurableDriverOptions } from "./durable/driver-options.ts";
export type { Waiting } from "./durable/input-queue.ts";
export { NUDGE } from "./durable/run-continuer.ts";
export { newReplicaId } from "./durable/lease.ts";
export type { KnownPlans } from "./durable/plan-cache.ts";
export {
  type Launch,
  type LaunchOutcome,
  Overloaded,
  type Runtime,
  type RuntimeFigures,
  type RunSnapshot,
} from "./durable/runtime.ts";
export { AttemptOver } from "./durable/turn-intake.ts";
export type { Reporter, ReportOutcome } from "./durable/attempt-report.ts";
