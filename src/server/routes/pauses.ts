import { organisationPauseSchema, reasonBody, runSchema, workflowSchema } from "../../contract/index.ts";
import { type AuditEntry, auditEntry, type AuditType } from "../../core/audit/index.ts";
import { WHOLE_ORGANISATION } from "../../store/index.ts";
import { ownerOf } from "../block-owner.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { refusedBy } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { unknownOrganisation } from "../session-cache.ts";
import { continuePausedRuns, pauseOnWire, pausesOf } from "../shown-pause.ts";
import { requireRun, shownRun, unknownRun } from "./runs.ts";
import { requireWorkflow, shownWorkflow, unknownWorkflow } from "./workflows.ts";

const body = { schema: reasonBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: true };
type Asked = Call<{ readonly reason?: string | undefined }, undefined>;

const PAUSED = "Nothing new is dispatched, what is running ends, and timers, answers and events are kept.";
const run = { 200: { description: "The changed run", schema: runSchema } };
const workflow = { 200: { description: "The changed workflow", schema: workflowSchema } };
const organisation = { 200: { description: "Whether the organisation is paused", schema: organisationPauseSchema } };

export const pauseRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/pause",
    operation: "runs.pause",
    summary: `Pauses a run and its child runs. ${PAUSED}`,
    permission: "workflow:execute",
    body,
    replies: run,
    handle: (call) => steerRun(call, "pause"),
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/resume",
    operation: "runs.resume",
    summary: "Resumes a paused run and its child runs.",
    permission: "workflow:execute",
    body,
    replies: run,
    handle: (call) => steerRun(call, "resume"),
  }),
  defineRoute({
    method: "POST",
    path: "/workflows/{name}/pause",
    operation: "workflows.pause",
    summary: `Pauses a workflow with all its runs; no new ones start. ${PAUSED}`,
    permission: "workflow:write",
    body,
    replies: workflow,
    handle: (call) => steerWorkflow(call, "pause"),
  }),
  defineRoute({
    method: "POST",
    path: "/workflows/{name}/resume",
    operation: "workflows.resume",
    summary: "Makes a workflow active again, and resumes its runs.",
    permission: "workflow:write",
    body,
    replies: workflow,
    handle: (call) => steerWorkflow(call, "resume"),
  }),
  defineRoute({
    method: "POST",
    path: "/organisations/{organisation}/pause",
    operation: "organisations.pause",
    summary: `Pauses all runs of the organisation. Runs started during the pause wait. ${PAUSED}`,
    permission: "governance:write",
    body,
    replies: organisation,
    handle: (call) => steerOrganisation(call, "pause"),
  }),
  defineRoute({
    method: "POST",
    path: "/organisations/{organisation}/resume",
    operation: "organisations.resume",
    summary: "Resumes the runs of the organisation.",
    permission: "governance:write",
    body,
    replies: organisation,
    handle: (call) => steerOrganisation(call, "resume"),
  }),
];

type Steering = "pause" | "resume";

async function steerRun(call: Asked, type: Steering): Promise<Response> {
  const { services, principal } = call;
  const { run: found } = await ownerOf(services.store, await requireRun(call));
  const { reason } = call.body;
  const outcome = await services.runtime.submit(principal.orgId, found.runId, {
    type,
    by: principal.label,
    byId: principal.keyId,
    ...(reason === undefined ? {} : { reason }),
  });
  if (outcome === undefined) throw unknownRun(found.runId);
  if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  return json(await shownRun(services, outcome.run));
}

async function steerWorkflow(call: Asked, type: Steering): Promise<Response> {
  const name = call.params["name"] ?? "";
  if (!(await steer(call, type, name, `workflow/${name}`))) throw unknownWorkflow(name);
  return json(await shownWorkflow(call.services, call.principal.orgId, await requireWorkflow(call, name)));
}

async function steerOrganisation(call: Asked, type: Steering): Promise<Response> {
  const { services, principal, params } = call;
  const { organisation: id = "" } = params;
  if (id !== principal.orgId) throw unknownOrganisation(id);
  await steer(call, type, null, `organisation/${id}`);
  const pause = (await pausesOf(services, id)).get(WHOLE_ORGANISATION);
  return json({ id, paused: pause === undefined ? null : pauseOnWire(pause) });
}

/** Returns false when there is no such workflow. */
async function steer(
  { services, principal, body: { reason } }: Asked,
  type: Steering,
  name: string | null,
  resource: string,
): Promise<boolean> {
  const { orgId, label } = principal;
  const at = services.config.now();
  const what = name === null ? "organisation" : "workflow";
  const as = type === "pause" ? (`${what}.paused` as const) : (`${what}.resumed` as const);
  const audit = [entryOf(as, at, principal, resource, reason)];
  const isKnown =
    type === "pause"
      ? await services.store.pause(orgId, name, { by: label, reason: reason ?? null, at }, audit)
      : await services.store.resume(orgId, name, audit);
  if (isKnown) await services.governance.registered.refresh(orgId);
  if (isKnown && type === "resume") continuePausedRuns(services, orgId, name);
  return isKnown;
}

function entryOf(
  type: AuditType,
  at: number,
  { keyId, label }: Asked["principal"],
  resource: string,
  reason: string | undefined,
): AuditEntry {
  const detail = { by: label, ...(reason === undefined ? {} : { reason }) };
  return auditEntry({ at, type, actor: keyId, resource, detail });
}
