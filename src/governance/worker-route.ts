import type { PlanNode } from "../core/plan/index.ts";
import { type GatewayView, NEW_SPEC, type RouteChoice } from "../gateway/index.ts";

/** Which functions have a worker at the moment. */
export interface WorkerPresence {
  knows(orgId: string): boolean;
  ensure(orgIds: Iterable<string>): Promise<void>;
  has(orgId: string, functionName: string): boolean;
  /** Calls back when a function has a worker that had none. */
  onCame(listener: () => void): void;
}

/** How verdicts name the place where functions run. */
const WORKERS = "workers";

const VIEWS = new Map<string, GatewayView>();
const VIEWS_MAX = 10_000;

/** The function of a node goes to its workers and nowhere else; undefined: it is none, or whatever answers may take it. */
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

/** One for as long as it lasts, so that it is written out once. */
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
