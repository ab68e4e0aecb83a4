import { budgetBlock } from "../budget-block.ts";
import { fits, isExhausted } from "../envelope.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

/** The agent's own monthly ceiling. A call of unknown price is left to the next gate, which names that. */
export const agentBudget: Gate<DispatchFacts> = {
  name: "agent_budget",
  evaluate({ agentBudget: envelope, agentId, estimateMicros }): GateOutcome {
    if (envelope === null) return PASS;
    const isOpen = estimateMicros === null ? !isExhausted(envelope) : fits(envelope, estimateMicros);
    if (isOpen) return PASS;
    const name = `the monthly budget of ${agentId}`;
    const ceiling = { name, target: `Agent/${agentId}`, field: "budget_monthly_usd" };
    return budgetBlock(envelope, estimateMicros, ceiling, "node");
  },
};
