import type { JsonObject } from "../core/base/index.ts";
import type { RunStatus } from "../core/event/index.ts";
import { shownOutputs } from "../core/engine/index.ts";
import type { Services } from "./route.ts";

export interface EndedRun {
  readonly status: RunStatus;
  readonly outputs: JsonObject;
}

/** Waits for the result of a run; null when the run is still open after the limit. */
export async function awaitOutputs(services: Services, orgId: string, runId: string): Promise<EndedRun | null> {
  const run = await services.ends.wait(orgId, runId, services.config.respondMs);
  return run === null ? null : { status: run.status, outputs: await outputsOf(services, orgId, runId) };
}

/** Returns the outputs of a run, for outside callers. */
export async function outputsOf({ runtime }: Services, orgId: string, runId: string): Promise<JsonObject> {
  const view = await runtime.stateOf(orgId, runId);
  return view === undefined ? {} : shownOutputs(view.state);
}
