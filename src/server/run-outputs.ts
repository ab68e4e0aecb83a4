import type { JsonObject } from "../core/base/index.ts";
import { isTerminal, type RunStatus } from "../core/event/index.ts";
import { shownOutputs } from "../core/engine/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunRecord, Store } from "../store/index.ts";
import type { Services } from "./route.ts";
import { runEndOf } from "./run-end.ts";

export interface EndedRun {
  readonly status: RunStatus;
  readonly outputs: JsonObject;
}

/** Interval at which the store is checked, because another replica may end the run. */
const LOOK_MS = 250;

/** Waits for the result of a run; null when the run is still open after the limit. */
export async function awaitOutputs(services: Services, orgId: string, runId: string): Promise<EndedRun | null> {
  const run = await awaitEnd(services, orgId, runId, services.config.respondMs);
  return run === null ? null : { status: run.status, outputs: await outputsOf(services, orgId, runId) };
}

/** Waits for the end of a run and returns it; null when it is still open after the limit. */
export async function awaitEnd(
  { runtime, store }: { readonly runtime: Pick<Runtime, "onCommitted">; readonly store: Pick<Store, "getRun"> },
  orgId: string,
  runId: string,
  withinMs: number,
): Promise<RunRecord | null> {
  const until = performance.now() + withinMs;
  let wake: (() => void) | null = null;
  let ends = 0;
  const stop = runtime.onCommitted((committed, events) => {
    if (committed !== runId || !events.some((event) => runEndOf(event) !== null)) return;
    ends += 1;
    wake?.();
  });
  try {
    for (;;) {
      const before = ends;
      const run = await store.getRun(orgId, runId);
      if (run !== undefined && isTerminal(run.status)) return run;
      const left = until - performance.now();
      if (left <= 0) return null;
      // The read may have missed an end that was committed meanwhile.
      if (ends !== before) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(LOOK_MS, left));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    stop();
  }
}

/** Returns the outputs of a run, for outside callers. */
export async function outputsOf({ runtime }: Services, orgId: string, runId: string): Promise<JsonObject> {
  const view = await runtime.stateOf(orgId, runId);
  return view === undefined ? {} : shownOutputs(view.state);
}
