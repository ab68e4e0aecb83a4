import { budgetBlock, type CeilingName } from "../budget-block.ts";
import { fits, isExhausted } from "../envelope.ts";
import type { DispatchFacts, EnvelopeFact, LaunchFacts } from "../facts.ts";
import { type GateBlock, type Gate, type GateOutcome, PASS } from "../gate.ts";

const NAME = "budget_envelopes";

export const envelopesForDispatch: Gate<DispatchFacts> = {
  name: NAME,
  evaluate(facts): GateOutcome {
    const { envelopes, estimateMicros } = facts;
    const passed = envelopes.filter((envelope) =>
      estimateMicros === null ? isExhausted(envelope) : !fits(envelope, estimateMicros),
    );
    // A ceiling that blocks for good comes first: waiting at another ceiling would not help the node.
    const first = passed.find(({ onExhausted }) => onExhausted === "block") ?? passed[0];
    if (first !== undefined) return budgetBlock(first, estimateMicros, budgetCeiling(first), "node");
    return estimateMicros === null ? withoutPrice(facts) : PASS;
  },
};

/** A run that could not pay for its first node is not started. */
export const envelopesForLaunch: Gate<LaunchFacts> = {
  name: NAME,
  evaluate({ envelopes }): GateOutcome {
    const spent = envelopes.find(isExhausted);
    return spent === undefined ? PASS : budgetBlock(spent, null, budgetCeiling(spent), "launch");
  },
};

export function budgetCeiling({ id, scope, scopeId, period }: EnvelopeFact): CeilingName {
  const whose = scopeId === null ? scope : `${scope} ${scopeId}`;
  return { name: `budget ${id} (${period}, ${whose})`, target: `Budget/${id}`, field: "amount_usd" };
}

type Priced = Pick<DispatchFacts, "agentBudget" | "envelopes" | "node">;

/** A ceiling cannot be enforced for a call of unknown price. Without a ceiling there is nothing to enforce. */
export function withoutPrice({ agentBudget, envelopes, node }: Priced): GateOutcome {
  const model = modelName(node);
  const ceilings = [...(agentBudget === null ? [] : [agentBudget]), ...envelopes].map(({ id }) => id);
  if (ceilings.length > 0) return priceUnknown(model, ceilings, node.id);
  return { kind: "pass", warnings: [`no price is known for ${model}: nothing is reserved`] };
}

/** Returns the name of a `Model`: `provider:model`, unless the model name already contains its vendor. */
function modelName({ provider, model }: DispatchFacts["node"]): string {
  if (model === null) return provider === null ? "the model" : `the model ${provider} calls when none is named`;
  return provider === null || /[:/]/.test(model) ? model : `${provider}:${model}`;
}

function priceUnknown(model: string, ceilings: readonly string[], nodeId: string): GateBlock {
  return {
    kind: "block",
    code: "price_unknown",
    message:
      `no price is known for ${model}, so nothing can be reserved under ${ceilings.join(", ")}; ` +
      `register the price of the model, or set estimated_cost on ${nodeId}`,
    after: "final",
    facts: { model, ceilings, estimateMicros: null },
    unblock: [
      { action: "register_model", target: `Model/${model}`, detail: "apply a Model manifest with its prices" },
      { action: "set_estimate", target: nodeId, detail: "set estimated_cost in US dollars on the step" },
    ],
  };
}
