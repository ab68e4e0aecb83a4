import { listOf, pageQuery, type Permission, registeredSchema } from "../../contract/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { periodOf } from "../../core/governance/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import {
  budgetOf,
  changeAudit,
  changedSchema,
  differing,
  entryKindOf,
  expectedOf,
  getRegistered,
  listRegistered,
  MANIFEST_KINDS,
  outboundProblems,
  planChange,
  readSpec,
  referenceProblems,
  type RegisteredKind,
  SCHEMA_HINT,
  schemaConflict,
  sealedWith,
} from "../../registry/index.ts";
import { openSecrets, sealSecrets, secretPlace } from "../../seal/index.ts";
import { type Entry, EntryChanged } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { entryOnWire } from "../entry-on-wire.ts";
import { pageOf } from "../listing.ts";
import { invalidSpec, sentSpec } from "../manifest-spec.ts";
import { checkOutboundOf, requireOutbound } from "../outbound-check.ts";
import { type ApiProblemCode, Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { triggerStanding } from "../trigger-standing.ts";
import { listOnWire } from "../wire.ts";

/** The permission a key needs to write entries of each kind. */
export const WRITING: Readonly<Record<RegisteredKind | "Workflow", Permission>> = {
  Agent: "registry:write",
  Gateway: "registry:write",
  Deployment: "registry:write",
  Budget: "governance:write",
  Policy: "governance:write",
  Lens: "registry:write",
  Team: "registry:write",
  LibraryStep: "registry:write",
  Schedule: "registry:write",
  Webhook: "registry:write",
  // The people a channel names may answer the approvals sent to them.
  Channel: "governance:write",
  Model: "registry:write",
  CreditPlan: "governance:write",
  // Retention deletes runs.
  Retention: "run:delete",
  Tool: "governance:write",
  Function: "registry:write",
  // A grant replaces answers of people that would otherwise be requested later.
  Grant: "governance:write",
  Workflow: "workflow:write",
  Alert: "registry:write",
  RoleBinding: "registry:write",
  Trigger: "registry:write",
  Secret: "secret:write",
};

/** Kinds without routes of their own, which gateways and workflows have. */
type PlainKind = Exclude<RegisteredKind, "Gateway">;

const UNKNOWN: Readonly<Record<PlainKind, ApiProblemCode>> = {
  Agent: "unknown_agent",
  Deployment: "unknown_deployment",
  Budget: "unknown_budget",
  Policy: "unknown_policy",
  Lens: "unknown_lens",
  Team: "unknown_team",
  LibraryStep: "unknown_library_step",
  Schedule: "unknown_schedule",
  Webhook: "unknown_webhook",
  Channel: "unknown_channel",
  Model: "unknown_model",
  CreditPlan: "unknown_credit_plan",
  Retention: "unknown_retention",
  Tool: "unknown_tool",
  Function: "unknown_function",
  Grant: "unknown_grant",
  Alert: "unknown_alert",
  RoleBinding: "unknown_binding",
  Trigger: "unknown_trigger",
  Secret: "unknown_secret",
};

export const registryRoutes: readonly Route[] = (Object.keys(UNKNOWN) as PlainKind[]).flatMap(routesOf);

function routesOf(kind: PlainKind): readonly Route[] {
  const { collection, title } = MANIFEST_KINDS[kind];
  const one = `/${collection}/{id}`;
  const shown = { schema: registeredSchema };
  return [
    defineRoute({
      method: "GET",
      path: `/${collection}`,
      operation: `${collection}.list`,
      summary: `Lists ${collection}, by id.`,
      permission: "governance:read",
      query: pageQuery,
      replies: { 200: { description: "One page", schema: listOf(registeredSchema) } },
      handle: async ({ services, principal, query }) => {
        const page = await listRegistered(services.store, principal.orgId, kind, pageOf(query));
        const standing = await standingOf({ services, principal }, kind, page.data);
        return json(listOnWire(page, (entry) => ({ ...entryOnWire(kind, entry), ...standing(entry) })));
      },
    }),
    defineRoute({
      method: "GET",
      path: one,
      operation: `${collection}.get`,
      summary: `Shows ${title}.`,
      permission: "governance:read",
      replies: { 200: { description: "The entry", ...shown } },
      handle: async (call) => {
        const entry = await requireEntry(call, kind);
        return json({ ...entryOnWire(kind, entry), ...(await standingOf(call, kind, [entry]))(entry) });
      },
    }),
    defineRoute({
      method: "PUT",
      path: one,
      operation: `${collection}.save`,
      summary: `Registers or changes ${title}. The body is the spec of its manifest.`,
      permission: WRITING[kind],
      body: { schema: sentSpec(kind), bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
      replies: { 200: { description: "The changed entry", ...shown }, 201: { description: "The new entry", ...shown } },
      handle: (call) => saveEntry(call, kind),
    }),
    defineRoute({
      method: "DELETE",
      path: one,
      operation: `${collection}.delete`,
      summary: `Deletes ${title}.`,
      permission: WRITING[kind],
      replies: { 204: { description: "The entry is deleted", schema: null } },
      handle: (call) => remove(call, kind),
    }),
  ];
}

/** Returns the present state of entries besides their written fields, such as what a budget has left or a trigger's address. */
async function standingOf(
  { services, principal }: Pick<AnyCall, "services" | "principal">,
  kind: PlainKind,
  entries: readonly Entry[],
): Promise<(entry: Entry) => JsonObject> {
  if (kind === "Trigger") return triggerStanding(services, principal, entries);
  if (kind === "Secret") {
    const uses = await services.store.secretUses(principal.orgId);
    return ({ id }) => ({ lastUsedAt: isoOrNull(uses.get(id)) });
  }
  if (kind !== "Budget") return () => ({});
  const at = services.config.now();
  const { envelopes } = await services.store.readCounters(principal.orgId, periodOf("monthly", at).start);
  return (entry) => {
    const { id, period } = budgetOf(entry);
    const { start, end } = periodOf(period, at);
    const counted = envelopes.find((one) => one.envelopeId === id && one.periodStart === start);
    return {
      spentMicros: counted?.spent ?? 0,
      reservedMicros: counted?.reserved ?? 0,
      periodStart: isoFromEpochMs(start),
      periodEnd: isoFromEpochMs(end),
    };
  };
}

function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoFromEpochMs(at);
}

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

export async function requireEntry({ services, principal, params }: AnyCall, kind: PlainKind): Promise<Entry> {
  const { id = "" } = params;
  const entry = await getRegistered(services.store, principal.orgId, kind, id);
  if (entry === undefined) throw unknown(kind, id);
  return entry;
}

function unknown(kind: PlainKind, id: string): Refused {
  return new Refused(UNKNOWN[kind], `There is no ${MANIFEST_KINDS[kind].title.replace(/^an? /, "")} "${id}".`);
}

export async function saveEntry(call: AnyCall & { readonly body: Json }, kind: PlainKind): Promise<Response> {
  const { services, principal, params, body } = call;
  const { store } = services;
  const { orgId, keyId } = principal;
  const { id = "" } = params;
  const read = readSpec(kind, id, body);
  if (!read.ok) throw invalidSpec(read.problems);
  requireOutbound(await outboundProblems(kind, read.body, checkOutboundOf(services)));
  const at = services.config.now();
  const entryKind = entryKindOf(kind);
  const { secrets = {} } = read;
  const before = await getRegistered(store, orgId, kind, id);
  const { box } = services.gateways;
  const place = secretPlace(orgId, entryKind, id);
  const kept = await store.entrySecrets(orgId, entryKind, id);
  const given = { kind, name: id, body: read.body, given: secrets, kept };
  const lacking = await referenceProblems(given, { store, orgId, isKeyed: services.gateways.isKeyed });
  if (lacking.length > 0) throw invalidSpec(lacking);
  const changed = changedSchema(kind, before?.body, read.body);
  if (changed !== null) throw new Refused("schema_conflict", `${schemaConflict(id, changed)} ${SCHEMA_HINT}`);
  const newSecrets = await differing(secrets, async () => openSecrets(box, place, kept));
  const plan = planChange({ kind, name: id, body: read.body }, before?.body, newSecrets, at);
  if (!plan.ok) throw invalidSpec(plan.problems);
  if (before !== undefined && plan.action === "unchanged")
    return json({ ...entryOnWire(kind, before), ...(await standingOf(call, kind, [before]))(before) });
  const change = { kind, name: id, action: plan.action, before: before?.body, after: plan.body };
  const put = {
    change: "put",
    kind: entryKind,
    id,
    body: plan.body,
    secrets: sealSecrets(box, place, sealedWith({ ...given, body: plan.body })),
    ...expectedOf(kind, before),
  } as const;
  const written = await store.applyEntries(orgId, [put], at, changeAudit(change, keyId, at)).catch(nullIfChanged);
  // Another server has changed it meanwhile, so it is decided again.
  if (written === null) return saveEntry(call, kind);
  const [entry] = written;
  await services.governance.registered.refresh(orgId);
  const location = `/api/v1/${MANIFEST_KINDS[kind].collection}/${encodeURIComponent(id)}`;
  const isNew = plan.action === "created";
  if (entry === undefined) return json(null, isNew ? 201 : 200, { location });
  const standing = await standingOf(call, kind, [entry]);
  return json({ ...entryOnWire(kind, entry), ...standing(entry) }, isNew ? 201 : 200, { location });
}

export function nullIfChanged(error: unknown): null {
  if (error instanceof EntryChanged) return null;
  throw error;
}

async function remove(call: AnyCall, kind: PlainKind): Promise<Response> {
  const { services, principal, params } = call;
  const { orgId, keyId } = principal;
  const { id = "" } = params;
  const entry = await requireEntry(call, kind);
  if (entry.revision === 0) {
    const detail = `"${id}" is built in. What was registered under its name can be deleted, and it then comes back.`;
    throw new Refused("built_in", detail);
  }
  const at = services.config.now();
  const change = { kind, name: id, action: "deleted", before: entry.body, after: undefined } as const;
  const changes = [{ change: "delete", kind: entryKindOf(kind), id } as const];
  await services.store.applyEntries(orgId, changes, at, changeAudit(change, keyId, at));
  await services.governance.registered.refresh(orgId);
  return new Response(null, { status: 204 });
}
