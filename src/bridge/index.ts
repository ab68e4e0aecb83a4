export { modelsOf, turnsOf } from "./adapter-models.ts";
export { startBridge } from "./bridge-server.ts";
export { readCallback, reportOutcome } from "./callback.ts";
export type { ExecutionReport } from "./open-dispatch.ts";
export { Executions } from "./executions.ts";
export { hangUp, listen } from "./listening.ts";
export type { ExecutionOutcome } from "./execution-outcome.ts";
export { readSentCallback, withWarnings } from "./sent-callback.ts";
export * from "./wire.ts";
