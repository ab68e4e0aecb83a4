import { replay } from "../../core/engine/index.ts";
import type { RunStore } from "../../store/index.ts";
import { type PlanCache, planHashOf } from "./plan-cache.ts";
import type { RunView } from "./runtime.ts";

/** The state as it was after an event; null when the log does not reach so far, undefined when there is no such run. */
export async function stateAt(
  store: Pick<RunStore, "loadRuns">,
  plans: PlanCache,
  { orgId, runId, eventId }: { readonly orgId: string; readonly runId: string; readonly eventId: number },
): Promise<RunView | null | undefined> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || loaded.run.orgId !== orgId) return undefined;
  const plan = await plans.get(orgId, planHashOf(loaded.run));
  if (plan === undefined) return undefined;
  if (eventId < 1 || eventId > loaded.run.lastEventId) return null;
  const events = loaded.events.filter((event) => event.eventId <= eventId);
  return { run: loaded.run, state: replay(plan, runId, events) };
}
