import { compareCodeUnits, type Json, type JsonObject } from "../base/index.ts";
import { evaluateCondition, type Path, walk } from "../expression/index.ts";
import type { DispatchFacts, LaunchFacts } from "./facts.ts";
import { grantFor } from "./grant.ts";
import type { HoldReason, MatchedPolicy } from "./gate.ts";
import { callFactsOf } from "./node-call-facts.ts";
import { launchSubject, policySubject, toolSubject } from "./policy-subject.ts";
import { type Policy, POLICY_SCOPES } from "./registered.ts";
import type { CallFacts } from "./tool-fact.ts";

/** A policy whose condition is true, or an enforced policy whose condition failed, which counts as true. */
export interface PolicyMatch {
  readonly policy: Policy;
  readonly error: string | null;
}

export interface PolicyFindings {
  /** Ordered by scope, most specific first, then by name. */
  readonly matches: readonly PolicyMatch[];
  /** Policies that are not enforced and could not be evaluated. */
  readonly broken: readonly PolicyMatch[];
}

/** The values that the scope of a policy is compared with. */
interface PolicyTarget {
  readonly gateway: string | null;
  readonly agent: string | null;
  readonly workflow: string;
  /** A run and its gateway may have different environments; a policy for either one applies. */
  readonly environments: readonly (string | null)[];
}

const NOTHING: PolicyFindings = { matches: [], broken: [] };

export function policyKey({ name, version }: Pick<Policy, "name" | "version">): string {
  return `${name}@${version}`;
}

/** Soft and audit policies only report. They never block or hold. */
export function isEnforced({ enforcement, action }: Pick<Policy, "enforcement" | "action">): boolean {
  return enforcement === "hard" && (action === "block" || action === "require_approval");
}

/** The facts that decide which policies apply to a dispatch. */
type Addressed = Pick<DispatchFacts, "policies" | "gateway" | "agentId" | "run">;

/** Returns the policies whose scope includes this dispatch, before their conditions are evaluated. */
export function dispatchPolicies(facts: Addressed): readonly Policy[] {
  return addressed(facts, ({ category }) => category !== "run_creation" && category !== "tool");
}

/** Returns the policies whose scope includes this tool call, before their conditions are evaluated. */
export function toolPolicies(facts: Addressed): readonly Policy[] {
  return addressed(facts, ({ category }) => category === "tool");
}

function addressed(facts: Addressed, isAsked: (policy: Policy) => boolean): readonly Policy[] {
  if (facts.policies.length === 0) return facts.policies;
  const target: PolicyTarget = {
    gateway: facts.gateway?.id ?? null,
    agent: facts.agentId,
    workflow: facts.run.workflow,
    environments: [facts.run.environment, facts.gateway?.environment ?? null],
  };
  return facts.policies.filter((policy) => isAsked(policy) && appliesTo(policy, target));
}

export function matchToolPolicies(facts: CallFacts): PolicyFindings {
  return findMatches(toolPolicies(facts), () => toolSubject(facts));
}

/** Returns the matching policies, each with whether its approval was given: for this call, or by a grant. */
export function matchedByTool(facts: CallFacts, { matches } = matchToolPolicies(facts)): readonly MatchedPolicy[] {
  const asks = matches.filter(({ policy }) => policy.action === "require_approval");
  const isGiven = asks.length > 0 && (facts.tool.isApproved || grantFor(facts) !== null);
  return describeMatches(matches, isGiven ? asks.map(({ policy }) => policyKey(policy)) : []);
}

/** Returns the findings about the node and, when the node is itself a tool call, about that call. */
export function matchDispatchPolicies(facts: DispatchFacts): PolicyFindings {
  const ofNode = findMatches(dispatchPolicies(facts), () => policySubject(facts));
  const call = callFactsOf(facts);
  if (call === null) return ofNode;
  const ofCall = matchToolPolicies(call);
  return {
    matches: [...ofNode.matches, ...ofCall.matches].sort(bySpecificity),
    broken: [...ofNode.broken, ...ofCall.broken],
  };
}

/** Returns the matching policies, each with whether its approval was given: for this node, or for its call by a grant. */
export function matchedByDispatch(
  facts: DispatchFacts,
  { matches } = matchDispatchPolicies(facts),
): readonly MatchedPolicy[] {
  const ofCall = isCallGranted(facts) ? matches.filter(({ policy }) => policy.category === "tool") : [];
  return describeMatches(matches, [...facts.grants, ...ofCall.map(({ policy }) => policyKey(policy))]);
}

/** Returns whether a registered grant covers the tool call that the node is. */
export function isCallGranted(facts: DispatchFacts): boolean {
  const call = callFactsOf(facts);
  return call !== null && grantFor(call) !== null;
}

export function matchLaunchPolicies(facts: LaunchFacts): PolicyFindings {
  const target: PolicyTarget = {
    gateway: facts.gateway?.id ?? null,
    agent: null,
    workflow: facts.run.workflow,
    environments: [facts.run.environment, facts.gateway?.environment ?? null],
  };
  const asked = facts.policies.filter((policy) => policy.category === "run_creation" && appliesTo(policy, target));
  return findMatches(asked, () => launchSubject(facts));
}

/** A scope without an id matches every object of its kind. */
function appliesTo(policy: Policy, target: PolicyTarget): boolean {
  const { scope, scopeId } = policy;
  if (!policy.isEnabled) return false;
  if (scope === "global") return true;
  if (scope === "environment") {
    return target.environments.some((name) => name !== null && (scopeId === null || scopeId === name));
  }
  const id = target[scope];
  return id !== null && (scopeId === null || scopeId === id);
}

function findMatches(policies: readonly Policy[], subjectOf: () => JsonObject): PolicyFindings {
  if (policies.length === 0) return NOTHING;
  const subject = subjectOf();
  // Policies of one organisation read the same few paths, and a lookup by text is faster than walking the path.
  const known = new Map<string, Json>();
  const resolve = ({ text, segments }: Path): Json | undefined => {
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    const value = walk(subject, segments);
    if (value !== undefined) known.set(text, value);
    return value;
  };
  const matches: PolicyMatch[] = [];
  const broken: PolicyMatch[] = [];
  for (const policy of policies) {
    const holds = evaluateCondition(policy.condition.root, resolve);
    if (holds.ok) {
      if (holds.value) matches.push({ policy, error: null });
    } else (isEnforced(policy) ? matches : broken).push({ policy, error: holds.failure.message });
  }
  if (matches.length > 1) matches.sort(bySpecificity);
  return { matches, broken };
}

function bySpecificity({ policy: left }: PolicyMatch, { policy: right }: PolicyMatch): number {
  const byScope = POLICY_SCOPES.indexOf(right.scope) - POLICY_SCOPES.indexOf(left.scope);
  return byScope || compareCodeUnits(left.name, right.name) || right.version - left.version;
}

export function describeMatches(matches: readonly PolicyMatch[], grants: readonly string[]): readonly MatchedPolicy[] {
  return matches.map(({ policy, error }) => {
    const { name, version, scope, action, enforcement, reason } = policy;
    const isSatisfied = !isEnforced(policy) || (action === "require_approval" && grants.includes(policyKey(policy)));
    return { name, version, scope, action, enforcement, isSatisfied, reason, error };
  });
}

/** Returns `no-mail@3 (Mail leaves the company)`, followed by the error when its condition could not be evaluated. */
export function policyText({ name, version, reason }: PolicyName, error: string | null): string {
  const said = `policy ${name}@${version}${reason === null ? "" : ` (${reason})`}`;
  if (error === null) return said;
  return `${said}, whose condition could not be evaluated and so counts as true: ${error}`;
}

/** Returns the reason of a policy as its approvers read it. */
export function reasonOf({ name, reason, error }: Pick<MatchedPolicy, "name" | "reason" | "error">): HoldReason {
  const said = reason ?? "It asks for an approval.";
  return {
    name,
    reason: error === null ? said : `${said} Its condition could not be evaluated and so counts as true: ${error}`,
  };
}

type PolicyName = Pick<Policy, "name" | "version" | "reason">;

/** Returns warnings that people should read although they block nothing. */
export function warningsOf({ matches, broken }: PolicyFindings): readonly string[] {
  const warnings: string[] = [];
  for (const match of matches) {
    const { action, enforcement } = match.policy;
    if (isEnforced(match.policy) || enforcement === "audit" || action === "log") continue;
    const would = action === "warn" ? "warns" : action === "block" ? "would block" : "would ask for an approval";
    warnings.push(`${policyText(match.policy, match.error)} ${would}`);
  }
  for (const { policy, error } of broken) {
    warnings.push(`policy ${policyKey(policy)} says nothing, its condition could not be evaluated: ${error}`);
  }
  return warnings;
}
