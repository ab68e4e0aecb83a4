import { LIMITS } from "../../base/index.ts";
import type { ApprovalRule } from "../../definition/index.ts";
import { permissionOf } from "../autonomy.ts";
import { amountFacts } from "../budget-block.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import { usdText } from "../money.ts";
import { isGranted, matchHoldingPolicies, policyKey, type PolicyMatch, sayPolicy } from "../policy.ts";

export const RUNG_GRANT = "rung";
export const TWO_AGENTS_GRANT = "two_agents";

/** Anyone who may approve, within the ordinary time. */
const ANYONE: ApprovalRule = {
  approvers: [],
  otherwise: null,
  expiresMs: LIMITS.approvalExpiresMsDefault,
  isSeparate: false,
};

/** Asks for every answer that is still missing at once; one approval gives them all. */
export const approvalRequired: Gate<DispatchFacts> = {
  name: "approval_required",
  evaluate(facts): GateOutcome {
    const { agent, node, grants } = facts;
    const holding = matchHoldingPolicies(facts).matches;
    const policies = holding.filter(({ policy }) => !isGranted(policy, grants));
    const rules = builtInRules(facts);
    const missing = rules.filter(({ grant }) => !grants.includes(grant));
    if (policies.length === 0 && missing.length === 0) return granted(holding, rules);
    const isTwoAgents = missing.some(({ grant }) => grant === TWO_AGENTS_GRANT);
    const wanted = [...policies.map(({ policy }) => policyKey(policy)), ...missing.map(({ grant }) => grant)];
    const why = [...policies.map(sayPolicy), ...missing.map(({ message }) => message)];
    return {
      kind: "hold",
      message: `${node.id} needs an approval: ${why.join("; ")}`,
      wanted,
      rule: ruleFor(policies, isTwoAgents),
      facts: {
        wanted,
        node: node.id,
        action: node.action,
        agent: facts.agentId,
        autonomy: agent?.autonomy ?? null,
        policies: policies.map(({ policy: { name, version, scope, scopeId, reason }, error }) => {
          return { name, version, scope, scopeId, reason, error };
        }),
        ...amountFacts({ estimate: facts.estimateMicros, threshold: agent?.financialThresholdMicros ?? null }),
      },
    };
  },
};

function granted(holding: readonly PolicyMatch[], rules: readonly BuiltInRule[]): GateOutcome {
  if (holding.length === 0 && rules.length === 0) return PASS;
  const answered = [...holding.map(({ policy }) => policyKey(policy)), ...rules.map(({ grant }) => grant)];
  return { kind: "pass", detail: `granted: ${answered.join(", ")}` };
}

interface BuiltInRule {
  readonly grant: string;
  readonly message: string;
}

const NO_RULES: readonly BuiltInRule[] = [];

function builtInRules({ agent, node, estimateMicros }: DispatchFacts): readonly BuiltInRule[] {
  if (agent === null) return NO_RULES;
  const { id, autonomy, financialThresholdMicros: threshold } = agent;
  if (permissionOf(autonomy, node.action) === "approval") {
    return [{ grant: RUNG_GRANT, message: `${id} is ${autonomy} and its action is ${node.action}` }];
  }
  if (autonomy !== "bounded" || node.action !== "financial" || threshold === null) return NO_RULES;
  // An unknown amount may be any amount.
  if (estimateMicros !== null && estimateMicros <= threshold) return NO_RULES;
  const amount = estimateMicros === null ? "an unknown amount" : `$${usdText(estimateMicros)}`;
  const message = `${id} would spend ${amount}, and above $${usdText(threshold)} another agent or a person confirms`;
  return [{ grant: TWO_AGENTS_GRANT, message }];
}

/** The most specific policy that names approvers decides who answers; whoever demands a second person gets one. */
function ruleFor(policies: readonly PolicyMatch[], isTwoAgents: boolean): ApprovalRule {
  const named = policies.map(({ policy }) => policy.approvers).filter((rule) => rule !== null);
  const isSeparate = isTwoAgents || named.some((rule) => rule.isSeparate);
  const rule = named[0] ?? ANYONE;
  return rule.isSeparate === isSeparate ? rule : { ...rule, isSeparate };
}
