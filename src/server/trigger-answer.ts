import type { TriggerAnswer } from "../contract/index.ts";
import { type StartResult, RATE_WINDOW_MS } from "../outside/trigger/index.ts";
import type { Trigger } from "../registry/index.ts";
import { launchedRun, refusedLaunch } from "./launch-reply.ts";
import { Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { awaitOutputs } from "./run-outputs.ts";

/** Returns the response to the sender of a delivery, as its trigger configures it. */
export async function answerDelivery(
  services: Services,
  orgId: string,
  trigger: Trigger,
  result: StartResult,
): Promise<Response> {
  const now = services.config.now();
  switch (result.kind) {
    case "limited":
      throw tooMany(result.max);
    case "filtered":
      return started({ started: false }, 202);
    case "known":
      return repeated(trigger, result.runId);
    case "refused":
      throw refusedLaunch(result.refusal, now);
    case "repeated":
      return trigger.origin === "hook" ? launchedRun(result, now) : repeated(trigger, result.run.runId);
    case "started":
      if (trigger.origin === "hook") return launchedRun(result, now);
      return answerStarted(services, orgId, trigger, result.run.runId);
  }
}

export function tooMany(max: number): Refused {
  const headers = { "retry-after": String(RATE_WINDOW_MS / 1_000) };
  return new Refused("rate_limited", `The trigger takes at most ${max} deliveries a minute.`, { headers });
}

function started(answer: TriggerAnswer, status: number): Response {
  const location = answer.runId === undefined ? {} : { location: `/api/v1/runs/${answer.runId}` };
  return json(answer, status, location);
}

function repeated({ respond }: Trigger, runId: string): Response {
  if (respond === "none") return new Response(null, { status: 204 });
  return started({ started: true, runId, repeated: true }, 200);
}

async function answerStarted(
  services: Services,
  orgId: string,
  { respond }: Trigger,
  runId: string,
): Promise<Response> {
  if (respond === "none") return new Response(null, { status: 204 });
  if (respond === "accepted") return started({ started: true, runId }, 202);
  const ended = await awaitOutputs(services, orgId, runId);
  if (ended === null) return started({ started: true, runId }, 202);
  if (ended.status !== "completed") {
    throw new Refused("run_failed", `The run ${runId} is ${ended.status}.`, { more: { runId, status: ended.status } });
  }
  return json(ended.outputs, 200, { "sluice-run-id": runId });
}
