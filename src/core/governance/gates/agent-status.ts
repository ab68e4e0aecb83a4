import { impedimentOf } from "../agent-standing.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

/** An agent works only when it is registered, and while its status, lifecycle and phase all allow work. */
export const agentStatus: Gate<Pick<DispatchFacts, "agent" | "agentId" | "at">> = {
  name: "agent_status",
  evaluate({ agent, agentId, at }): GateOutcome {
    const target = `Agent/${agentId}`;
    if (agent === null) {
      return {
        kind: "block",
        code: "agent_disabled",
        message: `no agent ${agentId} is registered; register it, or name another agent`,
        after: "final",
        facts: { agent: agentId, isKnown: false },
        unblock: [{ action: "register_agent", target, detail: "apply an Agent manifest of that name" }],
      };
    }
    const impediment = impedimentOf(agent, at);
    if (impediment === null) return PASS;
    const { field, value, message, remedy, isPause } = impediment;
    return {
      kind: "block",
      code: "agent_disabled",
      message: `${message}; ${remedy}`,
      after: isPause ? "paused" : "final",
      facts: { agent: agentId, [field]: value, ...(value === "poc" ? { phaseSince: agent.phaseSince, at } : {}) },
      unblock: [{ action: "change_agent", target, detail: remedy }],
    };
  },
};
