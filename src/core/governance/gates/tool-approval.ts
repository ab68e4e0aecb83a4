import { ANYONE, type ApprovalRule } from "../../definition/index.ts";
import { type Gate, type GateOutcome, type HoldReason, type MatchedPolicy, PASS } from "../gate.ts";
import { grantFor } from "../grant.ts";
import { isEnforced, matchedByTool, policyKey, policyText, reasonOf } from "../policy.ts";
import type { CallFacts } from "../tool-fact.ts";
import { builtInRules, strictest, TWO_AGENTS_GRANT } from "./approval-required.ts";

/** A policy, manifest or built-in rule that requires a person to see the call first. */
interface Want {
  readonly name: string;
  readonly message: string;
  readonly reason: HoldReason;
  /** Null when it does not name approvers. */
  readonly rule: ApprovalRule | null;
}

/** Requests all answers at once. An approval covers exactly this call. A grant covers the calls it was made for. */
export const toolApproval: Gate<CallFacts> = {
  name: "approval_required",
  evaluate(facts, matched = matchedByTool(facts)): GateOutcome {
    const wants = [...wantsOfPolicies(facts, matched), ...wantsOfManifests(facts), ...wantsOfAgent(facts)];
    if (wants.length === 0) return PASS;
    const { tool, agent, agentId, node } = facts;
    const wanted = wants.map(({ name }) => name);
    if (tool.isApproved) return { kind: "pass", detail: `approved: ${wanted.join(", ")}` };
    const grant = grantFor(facts);
    if (grant !== null) return { kind: "pass", detail: `covered by grant ${grant.id}: ${wanted.join(", ")}` };
    return {
      kind: "hold",
      message: `a call of ${tool.name} needs an approval: ${wants.map(({ message }) => message).join("; ")}`,
      wanted,
      reasons: wants.map(({ reason }) => reason),
      rule: ruleFor(wants),
      facts: {
        wanted,
        node: node.id,
        tool: tool.name,
        server: tool.server,
        action: tool.action,
        argsDigest: tool.argsDigest,
        agent: agentId,
        autonomy: agent?.autonomy ?? null,
      },
    };
  },
};

function wantsOfPolicies({ policies }: CallFacts, matched: readonly MatchedPolicy[]): readonly Want[] {
  return matched
    .filter((policy) => policy.action === "require_approval" && isEnforced(policy))
    .map((policy) => ({
      name: policyKey(policy),
      message: policyText(policy, policy.error),
      reason: reasonOf(policy),
      rule: policies.find((one) => policyKey(one) === policyKey(policy))?.approvers ?? null,
    }));
}

function wantsOfManifests({ rules }: CallFacts): readonly Want[] {
  return rules.flatMap(({ id, approval }) => {
    if (approval === null) return [];
    const name = `Tool/${id}`;
    return [
      { name, message: `${name} asks for one`, reason: { name, reason: "It asks for an approval." }, rule: approval },
    ];
  });
}

/** The cost of a call is not known, so the rule of two agents applies to every financial call. */
function wantsOfAgent({ agent, tool }: CallFacts): readonly Want[] {
  return builtInRules(agent, tool.action, null).map(({ grant, message }) => ({
    name: grant,
    message,
    reason: { name: grant, reason: message },
    rule: grant === TWO_AGENTS_GRANT ? { ...ANYONE, isSeparate: true } : null,
  }));
}

/** Policies come first, and among them the most specific. */
function ruleFor(wants: readonly Want[]): ApprovalRule {
  return strictest(wants.map(({ rule }) => rule ?? ANYONE));
}
