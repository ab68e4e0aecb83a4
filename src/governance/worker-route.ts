import type { PlanNode } from "../core/plan/index.ts";
import { type GatewayView, NEW_SPEC, type RouteChoice } from "../gateway/index.ts";

/** Which functions currently have a worker. */
export interface WorkerPresence {
  knows(orgId: string): boolean;
  ensure(orgIds: Iterable<string>): Promise<void>;
  has(orgId: string, functionName: string): boolean;
  /** Registers a listener that is called when a function without a worker gets one. */
  onAvailable(listener: () => void): void;
}

/** Gateway id that verdicts show for functions. */
const WORKERS = "workers";

const VIEWS = new Map<string, GatewayView>();
const VIEWS_MAX = 10_000;

/** Returns the route of a function to its workers. Undefined when the node is not a function, or when there is no worker registry. */
export function workerRoute(
  node: PlanNode | undefined,
  orgId: string,
  workers: WorkerPresence | null,
): RouteChoice | undefined {
  if (workers === null || node?.work?.kind !== "function") return undefined;
  const { name } = node.work;
  const gateway = viewOf(orgId, name, workers.has(orgId, name));
  return { kind: "found", gateway, provider: "function", losers: [] };
}

/** Returns the cached view of a function's workers, so that it is serialised once. */
function viewOf(orgId: string, name: string, isThere: boolean): GatewayView {
  const key = `${orgId} ${isThere} ${name}`;
  let view = VIEWS.get(key);
  if (view === undefined) {
    if (VIEWS.size >= VIEWS_MAX) VIEWS.clear();
    VIEWS.set(key, (view = { ...PLACE, orgId, status: isThere ? "healthy" : "offline", workerFor: name }));
  }
  return view;
}

const PLACE: Omit<GatewayView, "orgId" | "status"> = {
  id: WORKERS,
  ...NEW_SPEC,
  isAwaited: false,
  instanceId: null,
  seenAt: null,
  isLocal: false,
  answersAny: false,
  callbackBase: null,
  models: {},
  secrets: {},
};
