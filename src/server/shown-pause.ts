import type { PauseView, Run } from "../contract/index.ts";
import type { PauseFact, RunPause } from "../core/event/index.ts";
import { isTerminal } from "../core/event/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { type RunRecord, WHOLE_ORGANISATION } from "../store/index.ts";
import type { Services } from "./route.ts";

export function pauseOnWire({ by, reason, at }: PauseFact): PauseView {
  return { by, reason, at: isoFromEpochMs(at) };
}

export function runPauseOnWire(pause: RunPause | null): Run["paused"] {
  return pause === null ? null : { ...pauseOnWire(pause), scope: pause.scope };
}

/** Returns the pauses of an organisation, at most a second old. */
export async function pausesOf({ governance }: Services, orgId: string): Promise<ReadonlyMap<string, PauseFact>> {
  await governance.registered.ensure([orgId]);
  return governance.registered.of(orgId).pauses;
}

/** Returns the pause of a run: its own, or else that of its workflow or organisation. */
export async function runPauses(services: Services, orgId: string): Promise<(run: RunRecord) => RunPause | null> {
  const pauses = await pausesOf(services, orgId);
  const whole = pauses.get(WHOLE_ORGANISATION);
  return ({ paused, status, workflow }) => {
    if (isTerminal(status)) return null;
    const ofWorkflow = pauses.get(workflow);
    if (paused !== null) return paused;
    if (ofWorkflow !== undefined) return { ...ofWorkflow, scope: "workflow" };
    return whole === undefined ? null : { ...whole, scope: "organisation" };
  };
}

/** Continues paused runs without making the caller wait, since there may be many. */
export function continuePausedRuns({ runtime, config }: Services, orgId: string, workflow: string | null): void {
  runtime
    .continueRuns(orgId, workflow)
    .catch((error: unknown) => config.onTrouble("paused runs could not be continued", error));
}
