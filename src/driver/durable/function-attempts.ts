import { type Dispatch, findNode, type Route, type Timer } from "../../core/engine/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { AttemptWork } from "../../store/index.ts";
import { dispatchRequest } from "../dispatch-request.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Where attempts that are functions wait for workers: their rows are written with the commit that opens them. */
export interface FunctionWork {
  /** A commit of this process has opened one. */
  offered(orgId: string, functionName: string): void;
  /** Its result is not wanted any more. */
  cancelled(dispatchId: string): void;
  /** It has ended, however that became known. */
  ended(dispatchId: string): void;
}

const FUNCTION_PROVIDER = "function";

/** Only what goes to workers has this provider and no gateway. */
export function isOfWorkers({ gatewayId, provider }: Pick<Route, "gatewayId" | "provider">): boolean {
  return gatewayId === null && provider === FUNCTION_PROVIDER;
}

/** What workers ask for; undefined: the attempt goes elsewhere. */
export function workOf(dispatch: Dispatch, { state }: DrivenRun): AttemptWork | undefined {
  if (!isOfWorkers(dispatch.route)) return undefined;
  const name = dispatch.request.message;
  const { message: _named, ...request } = dispatchRequest(dispatch, state, FUNCTION_PROVIDER);
  // What is absent there is absent in JSON.
  const sent = { ...request, function: name } as unknown as JsonObject;
  return { function: name, isOnce: dispatch.effects === "at_most_once", request: sent };
}

/** Workers hold such an attempt, and no replica: losing one changes nothing for it. */
export function isHeldByWorkers({ state }: DrivenRun, { nodeId, attempt }: Extract<Timer, { kind: "lost" }>): boolean {
  const route = findNode(state, nodeId)?.routes[attempt - 1];
  return route !== undefined && isOfWorkers(route);
}
