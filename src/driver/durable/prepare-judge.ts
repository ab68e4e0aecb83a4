import type { Judge } from "../../governance/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Taken } from "./input-queue.ts";
import type { StoreHealth } from "./store-health.ts";

/** Loads the data that the judge needs about the organisations of a batch. Almost always it is loaded already. */
export async function prepareJudge(
  judge: Pick<Judge, "prepare">,
  health: Pick<StoreHealth, "untilAvailable">,
  taken: readonly Taken[],
  known: ReadonlyMap<string, DrivenRun>,
): Promise<void> {
  if (judge.prepare === undefined) return;
  const orgIds = new Set<string>();
  for (const { runId, fresh } of taken) {
    const live = fresh ?? known.get(runId);
    if (live !== undefined) orgIds.add(live.run.orgId);
  }
  let pending = judge.prepare(orgIds);
  if (pending === undefined) return;
  await health.untilAvailable(() => {
    const now = pending ?? judge.prepare?.(orgIds) ?? Promise.resolve();
    pending = undefined;
    return now;
  });
}
