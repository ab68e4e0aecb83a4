import type { z } from "zod";
import { listOf, runsQuery, type SavedView, viewBody, viewSchema } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { ViewRecord } from "../../store/index.ts";
import type { Principal } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { runFilterOf } from "../run-query.ts";
import { newId } from "../secret.ts";

/** Maximum number of views per owner. */
const VIEWS_MAX = 100;

const body = { schema: viewBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false } as const;

export const viewRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/views",
    operation: "views.list",
    summary: "Lists the saved views of runs by name: those of the caller and shared ones.",
    permission: "run:read",
    replies: { 200: { description: "All views", schema: listOf(viewSchema) } },
    handle: async ({ services, principal }) => {
      const found = await services.store.listViews(principal.orgId, ownerOf(principal));
      return json({ data: found.map((view) => viewOnWire(view, principal)) });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/views",
    operation: "views.create",
    summary: "Saves a view of runs: a name, and filters of the list.",
    permission: "run:read",
    body,
    replies: { 201: { description: "The view", schema: viewSchema } },
    handle: createView,
  }),
  defineRoute({
    method: "PUT",
    path: "/views/{viewId}",
    operation: "views.update",
    summary: "Changes a saved view. A shared view of another person needs the permission registry:write.",
    permission: "run:read",
    body,
    replies: { 200: { description: "The view", schema: viewSchema } },
    handle: updateView,
  }),
  defineRoute({
    method: "DELETE",
    path: "/views/{viewId}",
    operation: "views.delete",
    summary: "Deletes a saved view. A shared view of another person needs the permission registry:write.",
    permission: "run:read",
    replies: { 204: { description: "The view is deleted", schema: null } },
    handle: async (call) => {
      const { services, principal } = call;
      const { id } = await requireView(call);
      await services.store.deleteView(principal.orgId, id);
      return new Response(null, { status: 204 });
    },
  }),
];

/** Returns the owner of a caller's views: its person, with any key or session; without a person, its key. */
function ownerOf({ personId, agentId, keyId }: Principal): string {
  return personId !== null && agentId === null ? personId : keyId;
}

type ViewCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;
type WriteCall = Call<z.output<typeof viewBody>, undefined>;

async function createView({ services, principal, body: sent }: WriteCall): Promise<Response> {
  const owner = ownerOf(principal);
  const own = (await services.store.listViews(principal.orgId, owner)).filter((view) => view.owner === owner);
  if (own.length >= VIEWS_MAX)
    throw new Refused("too_many_views", `There are ${VIEWS_MAX} views of this caller; delete one first.`);
  const at = services.config.now();
  const view = { ...written(sent, at), id: newId("view"), orgId: principal.orgId, owner, createdAt: at };
  await services.store.putView(view);
  return json(viewOnWire(view, principal), 201);
}

async function updateView(call: WriteCall): Promise<Response> {
  const { services, principal, body: sent } = call;
  const view = { ...(await requireView(call)), ...written(sent, services.config.now()) };
  await services.store.putView(view);
  return json(viewOnWire(view, principal));
}

function written({ name, shared: isShared, query }: z.output<typeof viewBody>, updatedAt: number) {
  // A query that the list of runs would refuse is refused now, and not each time the view is opened.
  runFilterOf(runsQuery.parse(query), updatedAt);
  return { name, isShared, query, updatedAt };
}

/** Returns a view that the caller may change. */
async function requireView({ services, principal, params }: ViewCall): Promise<ViewRecord> {
  const { viewId = "" } = params;
  const view = await services.store.getView(principal.orgId, viewId);
  const isOwn = view?.owner === ownerOf(principal);
  if (view === undefined || (!isOwn && !view.isShared)) {
    throw new Refused("unknown_view", `There is no view "${viewId}".`);
  }
  if (isOwn || principal.permissions.has("registry:write")) return view;
  throw new Refused("forbidden", "Another caller has saved this view; registry:write is needed to change it.");
}

function viewOnWire(view: ViewRecord, principal: Principal): SavedView {
  const { id, name, isShared: shared, query, createdAt, updatedAt } = view;
  return {
    id,
    name,
    shared,
    isOwn: view.owner === ownerOf(principal),
    query: query as SavedView["query"],
    createdAt: isoFromEpochMs(createdAt),
    updatedAt: isoFromEpochMs(updatedAt),
  };
}
