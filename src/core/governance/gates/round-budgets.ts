import { budgetBlock } from "../budget-block.ts";
import { fits, isExhausted } from "../envelope.ts";
import type { EnvelopeFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import type { RoundFacts } from "../tool-fact.ts";
import { agentCeiling } from "./agent-budget.ts";
import { budgetCeiling, withoutPrice } from "./budget-envelopes.ts";

/** Checks whether the next round fits under every ceiling. A turn never waits here: it stops, and a person may let it continue. */
export const roundBudgets: Gate<RoundFacts> = {
  name: "budgets",
  evaluate(facts): GateOutcome {
    const { agentBudget, envelopes, agentId, role, estimateMicros } = facts;
    const isOpen = (envelope: EnvelopeFact): boolean =>
      estimateMicros === null ? !isExhausted(envelope) : fits(envelope, estimateMicros);
    if (agentBudget !== null && !isOpen(agentBudget)) {
      return budgetBlock(agentBudget, estimateMicros, agentCeiling(agentBudget, agentId, role?.name ?? ""), "round");
    }
    const full = envelopes.find((envelope) => !isOpen(envelope));
    if (full !== undefined) return budgetBlock(full, estimateMicros, budgetCeiling(full), "round");
    return estimateMicros === null ? withoutPrice(facts) : PASS;
  },
};
