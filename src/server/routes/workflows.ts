import {
  listOf,
  pageQuery,
  type SavedWorkflow,
  savedWorkflowSchema,
  type SentProblem,
  sourceBody,
  statusBody,
  type Version,
  type Workflow,
  versionSchema,
  workflowSchema,
} from "../../contract/index.ts";
import { digestText, type Problem } from "../../core/base/index.ts";
import { type Catalog, definitionHashOf, type WorkflowRef } from "../../core/definition/index.ts";
import { checkSource } from "../../core/plan/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { catalogAround, knownTools, lookUpIn, surroundingsOf } from "../../registry/index.ts";
import type { WorkflowOrigin, WorkflowRecord } from "../../store/index.ts";
import { noteChange } from "../audit-note.ts";
import { BODY_BYTES_MAX, JSON_TYPE, YAML_TYPES } from "../body.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { continuePausedRuns, pausesOf } from "../shown-pause.ts";
import { listOnWire, planOnWire, workflowOnWire } from "../wire.ts";

const VERSION_MAX = 2_147_483_647;
type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

export const workflowRoutes: readonly Route[] = [
  defineRoute({
    method: "PUT",
    path: "/workflows/{name}",
    operation: "workflows.save",
    summary: "Saves a version of a workflow, as {source} in JSON or as raw YAML.",
    permission: "workflow:write",
    body: {
      schema: sourceBody,
      bytesMax: BODY_BYTES_MAX.definition,
      types: [JSON_TYPE, ...YAML_TYPES],
      isOptional: false,
    },
    replies: {
      200: { description: "The newest version, which already has this content", schema: savedWorkflowSchema },
      201: { description: "A new version", schema: savedWorkflowSchema },
    },
    handle: async (call) =>
      saveWorkflow(call, call.raw ?? call.body.source, call.raw === null ? call.body.origin : undefined),
  }),
  defineRoute({
    method: "GET",
    path: "/workflows",
    operation: "workflows.list",
    summary: "Lists workflows with their newest version.",
    permission: "workflow:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(workflowSchema) } },
    handle: async ({ services, principal, query }) => {
      const pauses = await pausesOf(services, principal.orgId);
      const found = await services.store.listWorkflows(principal.orgId, pageOf(query));
      return json(listOnWire(found, (workflow) => workflowOnWire(workflow, pauses.get(workflow.name))));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/workflows/{name}",
    operation: "workflows.get",
    summary: "Shows a workflow and its newest version.",
    permission: "workflow:read",
    replies: { 200: { description: "The workflow", schema: workflowSchema } },
    handle: async (call) => {
      const { services, principal, params } = call;
      return json(await shownWorkflow(services, principal.orgId, await requireWorkflow(call, params["name"] ?? "")));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/workflows/{name}/versions/{version}",
    operation: "workflows.version",
    summary: "Shows the text of a version and its plan.",
    permission: "workflow:read",
    replies: { 200: { description: "The version", schema: versionSchema } },
    handle: showVersion,
  }),
  defineRoute({
    method: "PATCH",
    path: "/workflows/{name}",
    operation: "workflows.update",
    summary:
      "Sets whether a workflow starts new runs. Runs that have started continue; pause them with POST to its pause.",
    permission: "workflow:write",
    body: {
      schema: statusBody,
      bytesMax: BODY_BYTES_MAX.other,
      types: [JSON_TYPE],
      isOptional: false,
    },
    replies: { 200: { description: "The changed workflow", schema: workflowSchema } },
    handle: async (call) => {
      const name = call.params["name"] ?? "";
      const { services, principal, body } = call;
      const { orgId } = principal;
      // Activating a workflow also resumes it.
      const isKnown =
        body.status === "active"
          ? await services.store.resume(orgId, name)
          : await services.store.setWorkflowStatus(orgId, name, body.status);
      if (!isKnown) throw unknownWorkflow(name);
      const wasPaused = (await pausesOf(services, orgId)).has(name);
      await services.governance.registered.refresh(orgId);
      if (wasPaused && body.status === "active") continuePausedRuns(services, orgId, name);
      return json(await shownWorkflow(services, orgId, await requireWorkflow(call, name)));
    },
  }),
];

export async function requireWorkflow({ services, principal }: AnyCall, name: string): Promise<WorkflowRecord> {
  const workflow = await services.store.getWorkflow(principal.orgId, name);
  if (workflow === undefined) throw unknownWorkflow(name);
  return workflow;
}

export async function shownWorkflow(services: Services, orgId: string, workflow: WorkflowRecord): Promise<Workflow> {
  return workflowOnWire(workflow, (await pausesOf(services, orgId)).get(workflow.name));
}

export function unknownWorkflow(name: string): Refused {
  return new Refused("unknown_workflow", `There is no workflow "${name}".`);
}

/** Returns the version a run would use: the requested one, or the newest. */
export async function requireVersion(
  call: AnyCall,
  name: string,
  version: number | undefined,
): Promise<{ readonly workflow: WorkflowRecord; readonly version: number; readonly hash: string }> {
  const workflow = await requireWorkflow(call, name);
  if (version === undefined) return { workflow, version: workflow.latest.version, hash: workflow.latest.hash };
  const found = await call.services.store.getVersion(call.principal.orgId, name, version);
  if (found === undefined) throw unknownVersion(name, String(version), workflow);
  return { workflow, version, hash: found.hash };
}

function unknownVersion(name: string, version: string, { latest }: WorkflowRecord): Refused {
  return new Refused("unknown_version", `"${name}" has no version ${version}; its newest is ${latest.version}.`);
}

async function showVersion(call: AnyCall): Promise<Response> {
  const { services, principal, params } = call;
  const { name = "", version: written = "" } = params;
  const workflow = await requireWorkflow(call, name);
  const number = /^[1-9][0-9]{0,9}$/.test(written) && Number(written) <= VERSION_MAX ? Number(written) : null;
  const version = number === null ? undefined : await services.store.getVersion(principal.orgId, name, number);
  if (version === undefined) throw unknownVersion(name, written, workflow);
  const plan = await services.runtime.planOf(principal.orgId, version.hash);
  const { catalog: _pinned, savedAt, ...rest } = version;
  const shown = plan === undefined ? null : planOnWire(plan);
  // Versions saved before definition hashes existed have none stored.
  const definitionHash = version.definitionHash ?? definitionHashOf(version.source);
  const reply: Version = { ...rest, definitionHash, savedAt: isoFromEpochMs(savedAt), plan: shown };
  return json(reply);
}

async function saveWorkflow(
  call: AnyCall,
  written: string | Uint8Array,
  origin: WorkflowOrigin = "file",
): Promise<Response> {
  const { services, principal, params } = call;
  const { name = "" } = params;
  const { store } = services;
  const around = await surroundingsOf(written, lookUpIn(store, principal.orgId));
  const catalog = catalogAround({ ...around, tools: await knownTools(store, principal.orgId) });
  const { definition, problems, warnings } = checkSource(written, catalog);
  if (definition === null) throw invalidDefinition(problems);
  const misplaced = nameProblems(definition.name, name);
  if (misplaced.length > 0) throw invalidDefinition(misplaced);
  // The checks above read the bytes as UTF-8. A byte order mark is part of the text and is kept.
  const source = typeof written === "string" ? written : new TextDecoder("utf-8", { ignoreBOM: true }).decode(written);
  const hash = digestText(source);
  const { format } = definition;
  const saving = {
    name,
    hash,
    definitionHash: definitionHashOf(source),
    format,
    origin,
    source,
    catalog: null,
    savedAt: services.config.now(),
    savedBy: principal.keyId,
  };
  const { version, isNew } = await services.store.saveWorkflow(principal.orgId, saving);
  if (isNew)
    await noteChange(services, principal, "workflow.saved", `workflow/${name}`, { version: version.version, hash });
  const reply: SavedWorkflow = {
    name,
    version: version.version,
    hash: version.hash,
    definitionHash: version.definitionHash,
    format: version.format,
    origin: version.origin,
    warnings: [...warnings, ...(await unsaved(call, written, around.workflows, catalog))],
  };
  const location = `/api/v1/workflows/${name}/versions/${version.version}`;
  return json(reply, isNew ? 201 : 200, { location });
}

/** Returns the workflows the text would start that are not saved yet: not an error of the text, but no run starts without them. */
async function unsaved(
  { services, principal }: AnyCall,
  written: string | Uint8Array,
  refs: readonly WorkflowRef[],
  catalog: Catalog,
): Promise<readonly Problem[]> {
  if (refs.length === 0) return [];
  const known: string[] = [];
  for (const { name } of refs)
    if ((await services.store.getWorkflow(principal.orgId, name)) !== undefined) known.push(name);
  return checkSource(written, { ...catalog, workflows: known }).problems;
}

function nameProblems(written: string, asked: string): readonly SentProblem[] {
  if (written === asked) return [];
  const message = `The definition is called "${written}", but it was sent as "${asked}".`;
  return [{ code: "bad_name", message, path: "name", hint: `Send it to /workflows/${written}, or rename it.` }];
}

export function invalidDefinition(problems: readonly SentProblem[]): Refused {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new Refused("invalid_definition", `${first?.message ?? "The definition is not valid."}${more}`, { problems });
}
