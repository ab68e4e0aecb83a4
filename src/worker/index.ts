/** Public entry `sluice/worker`: functions as steps of workflows. */
export { step, type StepContext, type StepFunction } from "./step.ts";
export type { Schema } from "./schema.ts";
export { createWorker, type Worker, type WorkerOptions } from "./worker.ts";
export { NonRetryable, WorkerError } from "./worker-error.ts";
