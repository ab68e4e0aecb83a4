import type { z } from "zod";
import { listOf, type Run, runSchema, runsQuery, startBody, startQuery } from "../../contract/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { TRIGGER_HEADER } from "../../client/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import { readTraceparent } from "../../core/trace/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { callerOf } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { argsFor } from "../../launch/index.ts";
import { idempotencyOf } from "../idempotency.ts";
import { launchedRun } from "../launch-reply.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { outputsOf } from "../run-outputs.ts";
import { needsReading, runFilterOf } from "../run-query.ts";
import { runPauses } from "../shown-pause.ts";
import { waitingOf } from "../run-waiting.ts";
import { erasureOnWire, listOnWire, runOnWire } from "../wire.ts";

export const runRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/runs",
    operation: "runs.create",
    summary: "Starts a run. Another request with the same Idempotency-Key returns the same run.",
    permission: "workflow:execute",
    query: startQuery,
    body: { schema: startBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: { description: "The run that the same request started before", schema: runSchema },
      201: { description: "The new run", schema: runSchema },
    },
    handle: startRun,
  }),
  defineRoute({
    method: "GET",
    path: "/runs",
    operation: "runs.list",
    summary: "Lists runs, newest first. A run must match all given filters.",
    permission: "run:read",
    query: runsQuery,
    replies: { 200: { description: "One page", schema: listOf(runSchema) } },
    handle: async ({ services, principal, query }) => {
      const filter = runFilterOf(query, services.config.now());
      if (needsReading(filter)) await services.store.indexRuns(READ_AT_ONCE);
      const found = await services.store.listRuns(principal.orgId, filter, pageOf(query));
      const waiting = await waitingOf(services.store, found.data);
      const paused = await runPauses(services, principal.orgId);
      return json(listOnWire(found, (run) => runOnWire(run, waiting(run), paused(run))));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}",
    operation: "runs.get",
    summary: "Shows a run.",
    permission: "run:read",
    replies: { 200: { description: "The run", schema: runSchema } },
    handle: async (call) => json(await shownRun(call.services, await requireRun(call))),
  }),
];

const MS_PER_SECOND = 1_000;
/** Runs that have just ended are read before a response that depends on them, up to this number. */
const READ_AT_ONCE = 20;

export type RunCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params" | "request">;

export async function requireRun({ services, principal, params }: RunCall): Promise<RunRecord> {
  const { runId = "" } = params;
  const run = await services.store.getRun(principal.orgId, runId);
  if (run === undefined) throw unknownRun(runId);
  return run;
}

export function unknownRun(runId: string): Refused {
  return new Refused("unknown_run", `There is no run "${runId}".`);
}

/** Returns one run in the form of the API, with its outputs when it has ended. */
export async function shownRun(services: Services, run: RunRecord): Promise<Run> {
  if (!isTerminal(run.status)) {
    const paused = await runPauses(services, run.orgId);
    return runOnWire(run, (await waitingOf(services.store, [run]))(run), paused(run));
  }
  const [erasure, outputs] = await Promise.all([
    services.store.getErasure(run.orgId, run.runId),
    run.status === "completed" ? outputsOf(services, run.orgId, run.runId) : undefined,
  ]);
  const erased = erasure === undefined ? {} : { erased: erasureOnWire(erasure) };
  return { ...runOnWire(run), ...(outputs === undefined ? {} : { outputs }), ...erased };
}

async function startRun(call: Call<z.output<typeof startBody>, z.output<typeof startQuery>>): Promise<Response> {
  const { services, principal, body, request, query } = call;
  const { workflow, version, args, model, gateway, roleBindings, team, labels, recovery, priority } = body;
  const idempotency = idempotencyOf(call, workflow, body as Json);
  // With a traceparent header, the run joins the trace of the caller; otherwise it starts a new one.
  const caller = readTraceparent(request.headers.get("traceparent") ?? "");
  const result = await services.launcher.launch({
    orgId: principal.orgId,
    workflow,
    trigger: request.headers.get(TRIGGER_HEADER) === "mcp" ? "mcp" : "api",
    ...callerOf(principal),
    ...(version === undefined ? {} : { version }),
    ...(args === undefined ? {} : { args }),
    ...(model === undefined ? {} : { model }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(roleBindings === undefined ? {} : { roleBindings }),
    ...(team === undefined ? {} : { team }),
    ...(labels === undefined ? {} : { labels }),
    ...(recovery === undefined ? {} : { recovery }),
    ...(priority === undefined ? {} : { priority }),
    ...(caller === null ? {} : { caller }),
    ...(idempotency === null ? {} : { idempotency }),
  });
  if (query.wait === undefined || result.kind === "refused") return launchedRun(result, services.config.now());
  const { orgId, runId } = result.run;
  const ended = await services.ends.wait(orgId, runId, query.wait * MS_PER_SECOND);
  const run = ended ?? (await services.store.getRun(orgId, runId)) ?? result.run;
  return launchedRun({ ...result, run }, services.config.now(), await shownRun(services, run));
}

export function requireArgs(plan: Plan, given: JsonObject): JsonObject {
  const checked = argsFor(plan, given);
  if (checked.ok) return checked.args;
  const { message, problems } = checked.refusal;
  throw new Refused("invalid_args", message, { problems });
}
