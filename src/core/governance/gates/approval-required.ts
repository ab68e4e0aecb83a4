import { type Action, ANYONE, type ApprovalRule } from "../../definition/index.ts";
import { permissionOf } from "../autonomy.ts";
import { amountFacts } from "../budget-block.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, type MatchedPolicy, PASS } from "../gate.ts";
import { usdText } from "../money.ts";
import { isCallGranted, isEnforced, matchedByDispatch, policyKey, policyText, reasonOf } from "../policy.ts";

export const RUNG_GRANT = "rung";
export const TWO_AGENTS_GRANT = "two_agents";

/** Requests all missing answers at once. One approval gives all of them. */
export const approvalRequired: Gate<DispatchFacts> = {
  name: "approval_required",
  evaluate(facts, matched = matchedByDispatch(facts)): GateOutcome {
    const { agent, node, grants, call } = facts;
    const action = call?.tool.action ?? node.action;
    const manifests = manifestRules(facts);
    const rules = [...manifests, ...builtInRules(agent, action, facts.estimateMicros)];
    const holding = matched.filter((policy) => policy.action === "require_approval" && isEnforced(policy));
    if (holding.length === 0 && rules.length === 0) return PASS;
    const policies = holding.filter(({ isSatisfied }) => !isSatisfied);
    const missing = rules.filter(({ grant }) => !grants.includes(grant));
    if (policies.length === 0 && missing.length === 0) {
      return { kind: "pass", detail: `granted: ${namesOf(holding, rules).join(", ")}` };
    }
    const wanted = namesOf(policies, missing);
    const why = [...policies.map((one) => policyText(one, one.error)), ...missing.map(({ message }) => message)];
    const reasons = [
      ...policies.map((one) => reasonOf(one)),
      ...missing.map(({ grant, message }) => ({ name: grant, reason: message })),
    ];
    return {
      kind: "hold",
      message: `${node.id} needs an approval: ${why.join("; ")}`,
      wanted,
      reasons,
      rule: ruleFor(facts, policies, missing, manifests),
      facts: {
        wanted,
        node: node.id,
        action,
        ...(call === undefined
          ? {}
          : { tool: call.tool.name, server: call.tool.server, argsDigest: call.tool.argsDigest }),
        agent: facts.agentId,
        autonomy: agent?.autonomy ?? null,
        policies: policies.map(({ name, version, scope, reason, error }) => ({ name, version, scope, reason, error })),
        ...amountFacts({ estimate: facts.estimateMicros, threshold: agent?.financialThresholdMicros ?? null }),
      },
    };
  },
};

function namesOf(policies: readonly MatchedPolicy[], rules: readonly BuiltInRule[]): readonly string[] {
  return [...policies.map(policyKey), ...rules.map(({ grant }) => grant)];
}

interface BuiltInRule {
  readonly grant: string;
  readonly message: string;
}

interface ManifestRule extends BuiltInRule {
  readonly approval: ApprovalRule;
}

/** Returns the approvals required by tool manifests for the call of the node, when no registered grant covers it. */
function manifestRules(facts: DispatchFacts): readonly ManifestRule[] {
  const asking = (facts.call?.rules ?? []).filter(({ approval }) => approval !== null);
  if (asking.length === 0 || isCallGranted(facts)) return [];
  return asking.flatMap(({ id, approval }) =>
    approval === null ? [] : [{ grant: `Tool/${id}`, message: `Tool/${id} asks for one`, approval }],
  );
}

const NO_RULES: readonly BuiltInRule[] = [];

/** Returns the approvals required by the agent's rung and by the rule of two agents. `estimateMicros` is null when the cost is unknown. */
export function builtInRules(
  agent: DispatchFacts["agent"],
  action: Action,
  estimateMicros: number | null,
): readonly BuiltInRule[] {
  if (agent === null) return NO_RULES;
  const { id, autonomy, financialThresholdMicros: threshold } = agent;
  if (permissionOf(autonomy, action) === "approval") {
    return [{ grant: RUNG_GRANT, message: `${id} is ${autonomy} and its action is ${action}` }];
  }
  if (autonomy !== "bounded" || action !== "financial" || threshold === null) return NO_RULES;
  // An unknown amount may be above the threshold.
  if (estimateMicros !== null && estimateMicros <= threshold) return NO_RULES;
  const amount = estimateMicros === null ? "an unknown amount" : `$${usdText(estimateMicros)}`;
  const message = `${id} would spend ${amount}, and above $${usdText(threshold)} another agent or a person confirms`;
  return [{ grant: TWO_AGENTS_GRANT, message }];
}

/** The most specific policy that names approvers decides who answers. When a policy requires a second person, the rule requires one. */
function ruleFor(
  facts: DispatchFacts,
  policies: readonly MatchedPolicy[],
  missing: readonly BuiltInRule[],
  manifests: readonly ManifestRule[],
): ApprovalRule {
  const ofPolicies = policies.map(
    (one) => facts.policies.find((policy) => policyKey(policy) === policyKey(one))?.approvers ?? ANYONE,
  );
  const ofManifests = manifests.filter((one) => missing.includes(one)).map(({ approval }) => approval);
  const isBuiltIn = missing.some((one) => !manifests.some(({ grant }) => grant === one.grant));
  const named = [...ofPolicies, ...ofManifests, ...(isBuiltIn ? [ANYONE] : [])];
  const isTwoAgents = missing.some(({ grant }) => grant === TWO_AGENTS_GRANT);
  const rule = strictest(named);
  return isTwoAgents && !rule.isSeparate ? { ...rule, isSeparate: true } : rule;
}

/**
 * The first rule that names approvers decides who answers. Further requirements of any of the rules are added. What one
 * rule approves by default, without a person, is approved only when all rules say so.
 */
export function strictest(rules: readonly ApprovalRule[]): ApprovalRule {
  const rule = rules.find(({ approvers }) => approvers.length > 0) ?? rules.find((one) => one !== ANYONE) ?? ANYONE;
  if (rules.length < 2) return rule;
  const isApprovedByAll = rules.every(({ otherwise }) => otherwise === "approve");
  return {
    ...rule,
    isSeparate: rules.some(({ isSeparate }) => isSeparate),
    quorum: Math.max(...rules.map(({ quorum }) => quorum)),
    confirm: rules.some(({ confirm }) => confirm !== null) ? "sign_in" : null,
    otherwise: rule.otherwise === "approve" && !isApprovedByAll ? null : rule.otherwise,
  };
}
