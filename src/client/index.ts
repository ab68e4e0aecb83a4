export { applyToView, createView, eventOfFrame, reduceRun, type EventFrame, type RunView } from "../core/view/index.ts";
export {
  ApiError,
  /** The name it had before; the same class. */
  ApiError as ApiProblem,
  BROKEN_ANSWER,
  UNREACHABLE,
  type ProblemBody,
} from "./api-error.ts";
export type { ClientOptions } from "./caller.ts";
export { SluiceClient } from "./client.ts";
export { getSession, readLive, type LiveMessage, type LiveOptions, type LiveRun, type Session } from "./live-client.ts";
export { type BranchOptions, type StartOptions, TRIGGER_HEADER } from "./start-options.ts";
export type { WatchOptions } from "./watch.ts";
export type * from "./audit-wire.ts";
export type * from "./governance-wire.ts";
export type * from "./memory-wire.ts";
export type * from "./provenance-wire.ts";
export type * from "./registry-wire.ts";
export type * from "./schedule-wire.ts";
export type * from "./webhook-wire.ts";
export type * from "./wire.ts";
