import type { JsonObject } from "../core/base/index.ts";
import { isTerminal, type RunStatus } from "../core/event/index.ts";
import { shownOutputs } from "../core/engine/index.ts";
import type { RunRecord } from "../store/index.ts";
import type { Services } from "./route.ts";
import { runEndOf } from "./run-end.ts";

export interface EndedRun {
  readonly status: RunStatus;
  readonly outputs: JsonObject;
}

/** Another replica may end the run; this is how often it is looked for. */
const LOOK_MS = 250;

/** The result of a run, if it ends soon enough; null: it is still open. */
export async function awaitOutputs(services: Services, orgId: string, runId: string): Promise<EndedRun | null> {
  const run = await awaitEnd(services, orgId, runId, services.config.respondMs);
  return run === null ? null : { status: run.status, outputs: await outputsOf(services, orgId, runId) };
}

/** The run as it ended, if it does so soon enough; null: it is still open. */
export async function awaitEnd(
  { runtime, store }: Services,
  orgId: string,
  runId: string,
  withinMs: number,
): Promise<RunRecord | null> {
  const until = performance.now() + withinMs;
  let wake: (() => void) | null = null;
  const stop = runtime.onCommitted((committed, events) => {
    if (committed === runId && events.some((event) => runEndOf(event) !== null)) wake?.();
  });
  try {
    for (;;) {
      const run = await store.getRun(orgId, runId);
      if (run !== undefined && isTerminal(run.status)) return run;
      const left = until - performance.now();
      if (left <= 0) return null;
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

/** What a run came to, for those outside. */
export async function outputsOf({ runtime }: Services, orgId: string, runId: string): Promise<JsonObject> {
  const view = await runtime.stateOf(orgId, runId);
  return view === undefined ? {} : shownOutputs(view.state);
}
