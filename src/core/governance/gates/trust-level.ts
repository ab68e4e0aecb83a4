import { permissionOf } from "../autonomy.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

/** Checks the trust level that the gateway requires of the agent, and whether the agent's rung allows the action at all. */
export const trustLevel: Gate<DispatchFacts> = {
  name: "trust_level",
  evaluate({ agent, gateway, node, call }): GateOutcome {
    if (agent === null) return PASS;
    const { id, autonomy } = agent;
    const target = `Agent/${id}`;
    if (gateway !== null && !(agent.trustLevel >= gateway.minTrustLevel)) {
      const { minTrustLevel } = gateway;
      return {
        kind: "block",
        code: "trust_level_insufficient",
        message:
          `${id} has trust level ${agent.trustLevel}, and gateway ${gateway.id} demands ${minTrustLevel}; ` +
          `raise trust_level, or send the work to another gateway`,
        after: "final",
        facts: { agent: id, trustLevel: agent.trustLevel, gateway: gateway.id, minTrustLevel },
        unblock: [
          { action: "raise_trust", target, detail: `raise trust_level to ${minTrustLevel} or more` },
          { action: "reroute", target: `Gateway/${gateway.id}`, detail: "use a gateway that demands less" },
        ],
      };
    }
    const action = call?.tool.action ?? node.action;
    if (permissionOf(autonomy, action) !== "forbidden") return PASS;
    return {
      kind: "block",
      code: "autonomy_insufficient",
      message:
        `${id} is ${autonomy} and may only read, but ${node.id} has action ${action}; ` +
        `raise autonomy to supervised or bounded, or give ${node.id} to another agent`,
      after: "final",
      facts: { agent: id, autonomy, node: node.id, action },
      unblock: [{ action: "raise_autonomy", target, detail: "set autonomy to supervised or bounded" }],
    };
  },
};
