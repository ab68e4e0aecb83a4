export { applyToView, createView, eventOfFrame, reduceRun, type EventFrame, type RunView } from "../core/view/index.ts";
export { ApiProblem, type ProblemBody } from "./api-problem.ts";
export { SluiceClient, type ClientOptions, type StartOptions } from "./client.ts";
export type { WatchOptions } from "./watch.ts";
export type * from "./governance-wire.ts";
export type * from "./registry-wire.ts";
export type * from "./wire.ts";
