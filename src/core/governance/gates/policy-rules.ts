import type { DispatchFacts, LaunchFacts } from "../facts.ts";
import { type GateBlock, type Gate, type GateOutcome, type MatchedPolicy, PASS } from "../gate.ts";
import type { CallFacts } from "../tool-fact.ts";
import {
  describeMatches,
  isEnforced,
  matchDispatchPolicies,
  matchedByDispatch,
  matchedByTool,
  matchLaunchPolicies,
  matchToolPolicies,
  type PolicyFindings,
  policyKey,
  type PolicyMatch,
  policyText,
  warningsOf,
} from "../policy.ts";

const NAME = "policy_rules";

export const policyRulesForDispatch: Gate<DispatchFacts> = {
  name: NAME,
  evaluate(facts): GateOutcome {
    const findings = matchDispatchPolicies(facts);
    const blocking = findings.matches.filter(({ policy }) => isEnforced(policy) && policy.action === "block");
    return outcomeOf(findings, blocking, matchedByDispatch(facts, findings), `blocks ${facts.node.id}`);
  },
};

/** Applies the policies of the category `tool` to one call. */
export const policyRulesForTool: Gate<CallFacts> = {
  name: NAME,
  evaluate(facts): GateOutcome {
    const findings = matchToolPolicies(facts);
    const blocking = findings.matches.filter(({ policy }) => isEnforced(policy) && policy.action === "block");
    return outcomeOf(findings, blocking, matchedByTool(facts, findings), `blocks a call of ${facts.tool.name}`);
  },
};

/** A run that does not exist yet cannot be held. A policy that requires an approval therefore requires an approved launch. */
export const policyRulesForLaunch: Gate<LaunchFacts> = {
  name: NAME,
  evaluate(facts): GateOutcome {
    const findings = matchLaunchPolicies(facts);
    const isHeld = (match: PolicyMatch): boolean =>
      match.policy.action === "require_approval" && !facts.hasApprovedLaunch;
    const blocking = findings.matches.filter(
      (match) => isEnforced(match.policy) && (match.policy.action === "block" || isHeld(match)),
    );
    const grants = facts.hasApprovedLaunch ? findings.matches.map(({ policy }) => policyKey(policy)) : [];
    const isOnlyHeld = blocking.length > 0 && blocking.every(isHeld);
    const does = isOnlyHeld
      ? "lets it start only with an approved launch"
      : `blocks the start of ${facts.run.workflow}`;
    return outcomeOf(findings, blocking, describeMatches(findings.matches, grants), does);
  },
};

function outcomeOf(
  findings: PolicyFindings,
  blocking: readonly PolicyMatch[],
  matched: readonly MatchedPolicy[],
  does: string,
): GateOutcome {
  const first = blocking.find(({ policy }) => policy.action === "block") ?? blocking[0];
  if (first !== undefined) return { ...block(first, blocking, does), matched };
  const warnings = warningsOf(findings);
  if (matched.length === 0 && warnings.length === 0) return PASS;
  return { kind: "pass", matched, ...(warnings.length === 0 ? {} : { warnings }) };
}

function block(first: PolicyMatch, all: readonly PolicyMatch[], does: string): GateBlock {
  const { policy, error } = first;
  const { scope, scopeId, condition } = policy;
  const others = all.filter((match) => match !== first).map((match) => policyKey(match.policy));
  const also = others.length === 0 ? "" : `; so ${others.length === 1 ? "does" : "do"} ${others.join(", ")}`;
  return {
    kind: "block",
    code: "policy_blocked",
    message: `${policyText(policy, error)} ${does}${also}`,
    after: "final",
    facts: { policy: policyKey(policy), scope, scopeId, condition: condition.text, error, alsoBlocking: others },
    unblock: all.map((match) => ({
      action: match.policy.action === "require_approval" ? "approve_launch" : "change_policy",
      target: `Policy/${match.policy.name}`,
      detail: match.error ?? `it applies while ${match.policy.condition.text}`,
    })),
  };
}
