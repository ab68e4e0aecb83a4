import { apply, type BoundRequest, createRunState, replay, requestOf } from "../../core/engine/index.ts";
import type { RunStore } from "../../store/index.ts";
import type { PlanCache } from "./plan-cache.ts";
import type { RunSnapshot } from "./runtime.ts";

/** Returns the request of each attempt of a node, computed from the state just before the attempt: binding is deterministic. */
export async function requestsOf(
  store: Pick<RunStore, "loadRuns">,
  plans: PlanCache,
  { orgId, runId, nodeId }: { readonly orgId: string; readonly runId: string; readonly nodeId: string },
): Promise<ReadonlyMap<number, BoundRequest>> {
  const requests = new Map<number, BoundRequest>();
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || loaded.run.orgId !== orgId) return requests;
  const plan = await plans.ofRun(loaded.run);
  if (plan === undefined) return requests;
  const state = createRunState(plan, runId);
  for (const event of loaded.events) {
    if (event.type === "node.started" && event.payload.nodeId === nodeId) {
      const request = requestOf(state, nodeId);
      if (request !== undefined) requests.set(event.payload.attempt ?? 0, request);
    }
    apply(state, event);
  }
  return requests;
}

/** Returns the state right after an event: null when the log has no such event, undefined when the run does not exist. */
export async function stateAt(
  store: Pick<RunStore, "loadRuns">,
  plans: PlanCache,
  { orgId, runId, eventId }: { readonly orgId: string; readonly runId: string; readonly eventId: number },
): Promise<RunSnapshot | null | undefined> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || loaded.run.orgId !== orgId) return undefined;
  const plan = await plans.ofRun(loaded.run);
  if (plan === undefined) return undefined;
  if (eventId < 1 || eventId > loaded.run.lastEventId) return null;
  const events = loaded.events.filter((event) => event.eventId <= eventId);
  return { run: loaded.run, state: replay(plan, runId, events) };
}
