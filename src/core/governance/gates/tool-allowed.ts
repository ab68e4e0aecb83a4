import { matchesGlob } from "../../base/index.ts";
import { type GateBlock, type Gate, type GateOutcome, PASS } from "../gate.ts";
import type { CallFacts } from "../tool-fact.ts";

/**
 * Allows only tools that the step names and the agent may call. For a step that names no tools, the agent decides.
 * When neither names any, no tool may be called.
 */
export const toolAllowed: Gate<CallFacts> = {
  name: "tool_allowed",
  evaluate(facts): GateOutcome {
    const { agent, agentId, node, tool } = facts;
    const fits = (pattern: string): boolean => matchesGlob(pattern, tool.name);
    const denied = agent?.tools?.deny.find(fits);
    if (denied !== undefined) {
      const unblock = {
        action: "change_agent",
        target: `Agent/${agentId}`,
        detail: `remove ${denied} from tools.deny`,
      };
      return block(facts, `${agentId} may not call ${tool.name}`, { denied }, unblock);
    }
    const allow = agent?.tools?.allow ?? null;
    if (allow !== null && !allow.some(fits)) {
      const unblock = { action: "change_agent", target: `Agent/${agentId}`, detail: `add ${tool.name} to tools.allow` };
      return block(facts, `${tool.name} is not among the tools ${agentId} may call`, { allow }, unblock);
    }
    if (node.tools.some(fits) || (node.tools.length === 0 && allow !== null)) return PASS;
    const unblock = { action: "change_step", target: node.id, detail: `add ${tool.name} to the tools of the step` };
    return block(facts, `${tool.name} is not among the tools of ${node.id}`, { tools: node.tools }, unblock);
  },
};

function block(
  { agentId, node, tool }: CallFacts,
  message: string,
  compared: GateBlock["facts"],
  unblock: GateBlock["unblock"][number],
): GateBlock {
  return {
    kind: "block",
    code: "tool_not_allowed",
    message,
    after: "final",
    facts: { tool: tool.name, agent: agentId, node: node.id, ...compared },
    unblock: [unblock],
  };
}
