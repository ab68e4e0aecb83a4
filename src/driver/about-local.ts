import type { RunState } from "../core/engine/index.ts";
import type { AboutRun } from "../governance/index.ts";

/** A run of one process belongs to whoever started it, and is pinned to nothing. */
export function aboutLocal({ runId, plan, recursionDepth, args, lastEventId }: RunState, at: number): AboutRun {
  return {
    orgId: "local",
    runId,
    plan,
    workflow: plan.name,
    depth: recursionDepth,
    gateway: null,
    model: null,
    roleBindings: {},
    args,
    at,
    nextEventId: lastEventId + 1,
  };
}
