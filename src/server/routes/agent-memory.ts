import { listOf, type MemoryEntry, memoryEntrySchema, pageQuery } from "../../contract/index.ts";
import { auditEntry } from "../../core/audit/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { MemoryRecord } from "../../store/index.ts";
import { pageOf } from "../listing.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";
import { requireAgent } from "./require-agent.ts";

export const agentMemoryRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/agents/{id}/memory",
    operation: "agents.memory",
    summary: "Lists the memory entries of an agent, newest first, with their sources.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(memoryEntrySchema) } },
    handle: async (call) => {
      const id = await requireAgent(call, call.params["id"] ?? "");
      const { services, principal, query } = call;
      return json(listOnWire(await services.store.listMemory(principal.orgId, id, pageOf(query)), entryOnWire));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/agents/{id}/memory",
    operation: "agents.forget",
    summary: "Deletes all memory entries of an agent.",
    permission: "registry:write",
    replies: { 204: { description: "The memory is empty", schema: null } },
    handle: async (call) => {
      const id = await requireAgent(call, call.params["id"] ?? "");
      const { services, principal } = call;
      const { orgId, keyId } = principal;
      const at = services.config.now();
      const resource = `agent/${id}`;
      const detail = { action: "forgotten", fields: ["memory"] };
      const entry = auditEntry({ at, type: "agent.changed", actor: keyId, resource, detail });
      await services.store.forgetMemory(orgId, id, entry);
      services.governance.governor.memories.forget(orgId, id);
      return new Response(null, { status: 204 });
    },
  }),
];

function entryOnWire(entry: MemoryRecord): MemoryEntry {
  const { profile, at, workflow, runId, nodeId, attempt, text } = entry;
  return { profile, at: isoFromEpochMs(at), workflow, runId, nodeId, attempt, text };
}
