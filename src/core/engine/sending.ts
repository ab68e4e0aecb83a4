/** Whether a node sends a request, and the agent that would take it, before governance has chosen its route. */
import { getOwn } from "../base/index.ts";
import { DEFAULT_AGENT_ID, type PlanNode } from "../plan/index.ts";
import { isComputed } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

export function isSent({ kind, child, choose }: PlanNode): boolean {
  return kind !== "gate" && child === null && choose === null && !isComputed(kind);
}

/**
 * Returns the agent governance would choose. It is decided again with all registered data when the node is requested. Null
 * when the node sends nothing and names no agent.
 */
export function agentOf({ placement }: RunState, node: NodeState, planNode: PlanNode): string | null {
  const { agent, role } = planNode.request;
  if (!isSent(planNode)) return agent;
  const bound = role === null ? undefined : getOwn(placement?.roleBindings ?? {}, role);
  return assignedMemberOf(node, planNode) ?? agent ?? bound ?? DEFAULT_AGENT_ID;
}

/** Returns the agent the node was assigned to, else the first suitable member of the team. */
export function assignedMemberOf(node: NodeState, { duty }: PlanNode): string | null {
  return node.assignedTo ?? duty?.candidates[0]?.agent ?? null;
}
