import { organisationLimitsSchema, type OrganisationLimitsView } from "../../contract/index.ts";
import { LIMIT_NAMES } from "../../core/governance/index.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { unknownOrganisation } from "../session-cache.ts";

export const limitRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/organisations/{organisation}/limits",
    operation: "organisations.limits",
    summary: "Shows the limits of the organisation and their current usage.",
    permission: "governance:read",
    replies: { 200: { description: "All limits", schema: organisationLimitsSchema } },
    handle: show,
  }),
];

async function show({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { organisation: id = "" } = params;
  if (id !== principal.orgId) throw unknownOrganisation(id);
  const { governance, store, streams } = services;
  const { governor, use } = governance;
  const limits = use.limitsOf(id);
  await governor.prepare(new Set([id]));
  const starts = governor.launches.startsOf(id, principal.keyId);
  const [openRuns, storageBytes] = await Promise.all([store.countOpenRuns(id), use.storageOf(id)]);
  const used = {
    startsPerMinute: starts.ofOrganisation,
    openRuns,
    nodesPerSecond: governor.nodesOf(id),
    storageBytes,
    streams: streams.countOf(id),
  };
  const rows = (Object.keys(LIMIT_NAMES) as (keyof typeof LIMIT_NAMES)[]).map((member) => ({
    name: LIMIT_NAMES[member],
    limit: limits[member],
    used: used[member],
  }));
  const ofKey = use.startWindows(id, principal.keyId).ofKey?.rate.count ?? null;
  const answer: OrganisationLimitsView = {
    id,
    limits: [...rows, { name: "starts_per_minute_per_key", limit: ofKey, used: starts.ofKey }],
  };
  return json(answer);
}
