import { permissionOf } from "../autonomy.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import type { CallFacts } from "../tool-fact.ts";

/** Checks whether the agent's rung allows the tool's action at all. The place of the call was judged with the node. */
export const toolTrust: Gate<CallFacts> = {
  name: "trust_level",
  evaluate({ agent, tool }): GateOutcome {
    if (agent === null || permissionOf(agent.autonomy, tool.action) !== "forbidden") return PASS;
    const { id, autonomy } = agent;
    return {
      kind: "block",
      code: "autonomy_insufficient",
      message: `${id} is ${autonomy} and may only read, but a call of ${tool.name} has action ${tool.action}`,
      after: "final",
      facts: { agent: id, autonomy, tool: tool.name, action: tool.action },
      unblock: [
        { action: "raise_autonomy", target: `Agent/${id}`, detail: "set autonomy to supervised or bounded" },
        { action: "change_tool", target: `Tool/${tool.name}`, detail: "declare action read where a call only reads" },
      ],
    };
  },
};
