export { modelsOf } from "./adapter-models.ts";
export { type BridgeOptions, type RunningBridge, startBridge } from "./bridge-server.ts";
export { callbackOf, lostCallback, readCallback, reportOutcome } from "./callback.ts";
export { Executions, type ExecutionsOptions, type StartAnswer } from "./executions.ts";
export { hangUp, listen } from "./listening.ts";
export type { ExecutionReport } from "./open-dispatch.ts";
export type { Outcome, TimedLine } from "./outcome.ts";
export { readSentCallback, type SentCallback, withWarnings } from "./sent-callback.ts";
export * from "./wire.ts";
