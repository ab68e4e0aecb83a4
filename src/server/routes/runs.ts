import { z } from "zod";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { checkArgs } from "../../core/definition/index.ts";
import { RUN_STATUSES } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { findRepeated, idempotencyOf, launched, repeated } from "../idempotency.ts";
import { requireLaunch } from "../launch-gates.ts";
import { filterText, pageOf, pageQuery } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { jsonObject, listOf, runSchema } from "../schemas.ts";
import { invalidRequest } from "../shape.ts";
import { listOnWire, runOnWire } from "../wire.ts";
import { requireVersion } from "./workflows.ts";

const NAME_LENGTH_MAX = 200;
const word = z.string().min(1).max(NAME_LENGTH_MAX);

const startBody = z.strictObject({
  workflow: word,
  version: z.number().int().positive().max(2_147_483_647).optional(),
  args: jsonObject.optional(),
  model: word.optional(),
  gateway: word.optional(),
  roleBindings: z.record(word, word).optional().describe("Role → agent"),
  team: word.optional(),
  recovery: z.strictObject({ max: z.number().int().min(0).max(100) }).optional(),
});

export const runRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/runs",
    operation: "runs.create",
    summary: "Starts a run. With an Idempotency-Key, sending it again gives the same run.",
    permission: "workflow:execute",
    body: { schema: startBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: { description: "The run this request has started before", schema: runSchema },
      201: { description: "The new run", schema: runSchema },
    },
    handle: startRun,
  }),
  defineRoute({
    method: "GET",
    path: "/runs",
    operation: "runs.list",
    summary: "Lists runs, newest first.",
    permission: "run:read",
    query: pageQuery.extend({
      status: z.enum(RUN_STATUSES).optional(),
      workflow: filterText.optional(),
      parent: filterText.optional(),
    }),
    replies: { 200: { description: "One page", schema: listOf(runSchema) } },
    handle: async ({ services, principal, query }) => {
      const filter = {
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.workflow === undefined ? {} : { workflow: query.workflow }),
        ...(query.parent === undefined ? {} : { parentRunId: query.parent }),
      };
      return json(listOnWire(await services.store.listRuns(principal.orgId, filter, pageOf(query)), runOnWire));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}",
    operation: "runs.get",
    summary: "Shows a run.",
    permission: "run:read",
    replies: { 200: { description: "The run", schema: runSchema } },
    handle: async (call) => json(runOnWire(await requireRun(call))),
  }),
];

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

async function startRun(call: Call<z.output<typeof startBody>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  refuseUnsupported(body);
  const idempotency = idempotencyOf(call, body.workflow, body as Json);
  const before = await findRepeated(call, idempotency);
  if (before !== undefined) return repeated(before);
  const { workflow, version, hash } = await requireVersion(call, body.workflow, body.version);
  const plan = await services.runtime.planOf(principal.orgId, hash);
  if (plan === undefined) throw new Refused("unknown_version", `Version ${version} can no longer be compiled.`);
  const args = requireArgs(plan, body.args ?? {});
  const gateway = body.gateway ?? null;
  await requireLaunch(call, { workflow: body.workflow, record: workflow, args, gateway });
  const outcome = await services.runtime.launch({
    orgId: principal.orgId,
    workflow: body.workflow,
    version,
    definitionHash: hash,
    args,
    trigger: "api",
    startedBy: principal.keyId,
    model: body.model ?? null,
    gateway,
    roleBindings: body.roleBindings ?? {},
    ...(idempotency === null ? {} : { idempotency }),
  });
  return launched(outcome);
}

/** Better refused than silently left out: a run without them would do something else. */
function refuseUnsupported({ team, recovery }: z.output<typeof startBody>): void {
  const problems = Object.entries({ team, recovery })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => ({
      code: "not_supported",
      message: `This server cannot start runs with a ${name} yet.`,
      path: name,
      hint: "Leave it out.",
    }));
  if (problems.length > 0) throw invalidRequest(problems);
}

export function requireArgs(plan: Plan, given: JsonObject): JsonObject {
  const checked = checkArgs(plan.args, given);
  if (checked.ok) return checked.value;
  const problems = checked.failure;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new Refused("invalid_args", `${problems[0]?.message ?? "The args do not fit."}${more}`, { problems });
}
