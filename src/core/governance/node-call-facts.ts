import type { DispatchFacts } from "./facts.ts";
import type { CallFacts } from "./tool-fact.ts";
import { boundsOf } from "./tool-profile.ts";

const NO_BOUNDS = boundsOf(null, null);

/** Returns the tool call facts of a node that is itself a call, null for other nodes. Its tool counts as named by the step. */
export function callFactsOf(facts: DispatchFacts): CallFacts | null {
  const { at, platform, gateway, agentId, agent, role, turns, node, run, policies, call } = facts;
  if (call === undefined) return null;
  const { tool, rules, rates, toolGrants } = call;
  const named = { ...node, tools: [tool.name] };
  const common = { at, platform, gateway, agentId, agent, role, turns, run, policies };
  return { ...common, node: named, tool, rules, rates, bounds: NO_BOUNDS, grants: toolGrants };
}
