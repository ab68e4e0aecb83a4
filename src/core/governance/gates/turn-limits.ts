import { type Gate, type GateBlock, type GateOutcome, PASS } from "../gate.ts";
import type { RoundFacts, CallFacts } from "../tool-fact.ts";

const NAME = "turn_limits";

/** Limits the number of tool calls in a turn, and repeated calls with the same args. */
export const limitsOfCalls: Gate<CallFacts> = {
  name: NAME,
  evaluate({ tool, bounds, node }): GateOutcome {
    const { maxToolCalls, maxRepeats } = bounds;
    if (!(tool.calls < maxToolCalls)) {
      const message = `this turn has made ${tool.calls} tool calls, and may make ${maxToolCalls}`;
      const facts = { node: node.id, calls: tool.calls, maxToolCalls };
      return block(node.id, message, facts, "max_tool_calls");
    }
    if (!(tool.repeats < maxRepeats)) {
      const message = `${tool.name} was called ${tool.repeats} times with the same args, and may be called so ${maxRepeats} times`;
      const facts = { node: node.id, tool: tool.name, repeats: tool.repeats, maxRepeats, argsDigest: tool.argsDigest };
      return block(node.id, message, facts, "max_repeats");
    }
    return PASS;
  },
};

/** Limits the rounds of a turn. A person may add rounds. */
export const limitsOfRounds: Gate<RoundFacts> = {
  name: NAME,
  evaluate({ rounds, extraRounds, bounds, node }): GateOutcome {
    const most = bounds.maxRounds + extraRounds;
    if (rounds < most) return PASS;
    const message = `the turn of ${node.id} has had ${rounds} rounds, and may have ${most}`;
    const facts = { node: node.id, rounds, maxRounds: bounds.maxRounds, extraRounds };
    const found = block(node.id, message, facts, "max_rounds");
    return {
      ...found,
      unblock: [{ action: "retry", target: node.id, detail: "let it have more rounds" }, ...found.unblock],
    };
  },
};

function block(nodeId: string, message: string, facts: GateBlock["facts"], field: string): GateBlock {
  const detail = `raise turn.${field} of the step, and of its agent where that is lower`;
  return {
    kind: "block",
    code: NAME,
    message,
    after: "final",
    facts,
    unblock: [{ action: "raise_limit", target: nodeId, detail }],
  };
}
