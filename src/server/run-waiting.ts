import { isTerminal, type WaitingFor } from "../core/event/index.ts";
import type { RunRecord, RunStore } from "../store/index.ts";

/** Returns what runs wait for, child runs included. The children are read only for runs that wait for nothing themselves. */
export async function waitingOf(
  store: Pick<RunStore, "readWaiting">,
  runs: readonly RunRecord[],
): Promise<(run: RunRecord) => WaitingFor | null> {
  const asked = runs.filter((run) => !isTerminal(run.status) && ownOf(run) === null);
  const found = asked.length === 0 ? null : await store.readWaiting(asked.map(({ runId }) => runId));
  return (run) => ownOf(run) ?? found?.get(run.runId) ?? null;
}

function ownOf({ waitingFor }: RunRecord): WaitingFor | null {
  return waitingFor === "child" ? null : waitingFor;
}
