import { z } from "zod";
import { auditEntry } from "../../core/audit/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { getRegistered } from "../../registry/index.ts";
import type { MemoryEntry } from "../../store/index.ts";
import { pageOf, pageQuery } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { listOf } from "../schemas.ts";
import { listOnWire } from "../wire.ts";

const memoryEntrySchema = z.object({
  profile: z.string().describe("The memory it is kept in"),
  at: z.iso.datetime(),
  workflow: z.string(),
  runId: z.string(),
  nodeId: z.string(),
  attempt: z.number().int().positive(),
  text: z.string().describe("The beginning of what the agent answered"),
});

export const agentMemoryRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/agents/{id}/memory",
    operation: "agents.memory",
    summary: "Lists what an agent remembers, newest first, and where each entry comes from.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(memoryEntrySchema) } },
    handle: async (call) => {
      const id = await requireAgent(call);
      const { services, principal, query } = call;
      return json(listOnWire(await services.store.listMemory(principal.orgId, id, pageOf(query)), entryOnWire));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/agents/{id}/memory",
    operation: "agents.forget",
    summary: "Makes an agent forget everything it remembers.",
    permission: "registry:write",
    replies: { 204: { description: "Nothing is remembered", schema: null } },
    handle: async (call) => {
      const id = await requireAgent(call);
      const { services, principal } = call;
      const { orgId, keyId } = principal;
      const at = services.config.now();
      const resource = `agent/${id}`;
      const detail = { action: "forgotten", fields: ["memory"] };
      const told = auditEntry({ at, type: "agent.changed", actor: keyId, resource, detail });
      await services.store.forgetMemory(orgId, id, told);
      services.governance.governor.memories.forget(orgId, id);
      return new Response(null, { status: 204 });
    },
  }),
];

/** Its id, if it is registered. */
async function requireAgent({
  services,
  principal,
  params,
}: Pick<Call<unknown, unknown>, "services" | "principal" | "params">): Promise<string> {
  const { id = "" } = params;
  const entry = await getRegistered(services.store, principal.orgId, "Agent", id);
  if (entry === undefined) throw new Refused("unknown_agent", `There is no agent "${id}".`);
  return id;
}

function entryOnWire(entry: MemoryEntry): z.output<typeof memoryEntrySchema> {
  const { profile, at, workflow, runId, nodeId, attempt, text } = entry;
  return { profile, at: isoFromEpochMs(at), workflow, runId, nodeId, attempt, text };
}
