import { type AuditEntry, auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { NodeCallFacts } from "../core/governance/index.ts";

interface CallPlace {
  readonly runId: string;
  readonly at: number;
  readonly nodeId: string;
}

/** Returns the audit entry for the decision on a tool call, of a turn or of a node that is itself a call. */
export function callAudit(
  { runId, at, nodeId }: CallPlace,
  { name, server, action }: Pick<NodeCallFacts["tool"], "name" | "server" | "action">,
  decided: JsonObject,
): AuditEntry {
  return auditEntry({
    at,
    type: "tool.decided",
    actor: ENGINE_ACTOR,
    resource: `tool/${name}`,
    run: runId,
    node: nodeId,
    detail: { tool: name, server, action, ...decided },
  });
}
