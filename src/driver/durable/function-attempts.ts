import { type Dispatch, findNode, type Route, type Timer } from "../../core/engine/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { AttemptWork } from "../../store/index.ts";
import { dispatchRequest } from "../dispatch-request.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Notifies the work queue about attempts that are functions. Their rows are written with the commit that opens them. */
export interface FunctionWork {
  /** Called when a commit of this process has opened such an attempt. */
  offered(orgId: string, functionName: string): void;
  /** Called when the result of the attempt is not wanted any more. */
  cancelled(dispatchId: string): void;
  /** Called when the attempt has ended, in whichever way. */
  ended(dispatchId: string): void;
}

const FUNCTION_PROVIDER = "function";

/** Whether workers run the attempt. Only attempts for workers have this provider and no gateway. */
export function isOfWorkers({ gatewayId, provider }: Pick<Route, "gatewayId" | "provider">): boolean {
  return gatewayId === null && provider === FUNCTION_PROVIDER;
}

/** Returns the request as workers receive it, or undefined when the attempt is not for workers. */
export function workOf(dispatch: Dispatch, { state }: DrivenRun): AttemptWork | undefined {
  if (!isOfWorkers(dispatch.route)) return undefined;
  const name = dispatch.request.message;
  const { message: _named, ...request } = dispatchRequest(dispatch, state, FUNCTION_PROVIDER);
  // Properties that are absent in the request are absent in its JSON too.
  const sent = { ...request, function: name } as unknown as JsonObject;
  return { function: name, isOnce: dispatch.effects === "at_most_once", request: sent };
}

/** Whether a worker, not a replica, holds the attempt. The loss of a replica does not affect such an attempt. */
export function isHeldByWorkers({ state }: DrivenRun, { nodeId, attempt }: Extract<Timer, { kind: "lost" }>): boolean {
  const route = findNode(state, nodeId)?.routes[attempt - 1];
  return route !== undefined && isOfWorkers(route);
}
