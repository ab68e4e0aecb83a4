import { budgetBlock, type CeilingName } from "../budget-block.ts";
import { fits, isExhausted } from "../envelope.ts";
import type { DispatchFacts, EnvelopeFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

/**
 * Checks the agent's monthly ceiling: the bound of its current role, else its own. A call of unknown price passes unless
 * the
 * ceiling is used up, because the next gate reports the missing price.
 */
export const agentBudget: Gate<DispatchFacts> = {
  name: "agent_budget",
  evaluate({ agentBudget: envelope, agentId, role, estimateMicros }): GateOutcome {
    if (envelope === null) return PASS;
    const isOpen = estimateMicros === null ? !isExhausted(envelope) : fits(envelope, estimateMicros);
    if (isOpen) return PASS;
    return budgetBlock(envelope, estimateMicros, agentCeiling(envelope, agentId, role?.name ?? ""), "node");
  },
};

export function agentCeiling({ boundBy }: EnvelopeFact, agentId: string, role: string): CeilingName {
  const name = `the monthly budget of ${agentId}`;
  if (boundBy === undefined) return { name, target: `Agent/${agentId}`, field: "budget_monthly_usd" };
  return { name: `${name} in the role ${role}`, target: `RoleBinding/${boundBy}`, field: "max_spend_usd" };
}
