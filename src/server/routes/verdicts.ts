import { filterText, listOf, pageQuery, verdictSchema } from "../../contract/index.ts";
import { readEventId } from "../listing.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { verdictOnWire } from "../verdict-on-wire.ts";
import { requireRun } from "./runs.ts";

export const verdictRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/verdicts",
    operation: "runs.verdicts",
    summary: "Lists the verdicts on the nodes of a run, in order, with the facts that the gates read.",
    permission: "run:read",
    query: pageQuery.extend({ node: filterText.optional().describe("Selects the verdicts of this node or instance") }),
    replies: { 200: { description: "One page", schema: listOf(verdictSchema) } },
    handle: async (call) => {
      const { limit, cursor, node } = call.query;
      const { orgId, runId } = await requireRun(call);
      const from = cursor === undefined ? 0 : readEventId(cursor);
      const made = await call.services.store.verdictsOf(orgId, runId);
      const all = node === undefined ? made : made.filter(({ nodeId }) => nodeId === node);
      const to = from + limit;
      const more = to < all.length ? { nextCursor: String(to) } : {};
      return json({ data: all.slice(from, to).map(verdictOnWire), ...more });
    },
  }),
];
