import { ANYONE, type ApprovalRule } from "../../definition/index.ts";
import type { Duty, Plan, PlanNode } from "../plan.ts";
import { retryPolicyOfBlock } from "../retry-policy.ts";
import { assignNode, type AssignedMember, type AssignmentResult, toolBansOf } from "./assign.ts";
import { resolvePolicies, type ResolvedPolicies } from "./policies.ts";
import type { Team, TeamPolicies } from "./team.ts";

/**
 * Returns the plan for a team: the members that may take each node and why, and the team's policies where the author wrote
 * none. Nothing here depends on the course of the run, so it is decided once. Only the fallback to another member happens
 * later.
 */
export function applyTeam(plan: Plan, team: Team): Plan {
  const blocks = new Map([...plan.blocks].map(([path, block]) => [path, applyTeam(block, team)]));
  return { ...plan, blocks, nodes: plan.nodes.map((node) => inTeam(node, plan, team)) };
}

/** No member takes a gate, a child run or work without an agent, but the policies of the team still decide how their failures count. */
function inTeam(node: PlanNode, plan: Plan, team: Team): PlanNode {
  const policies = resolvePolicies(team, plan.name, explicitOf(node));
  const { failurePolicy, retryPolicy } = policies;
  const governed: PlanNode = {
    ...node,
    retry:
      retryPolicy.value === null || retryPolicy.from === "step" ? node.retry : retryPolicyOfBlock(retryPolicy.value),
    onFailure: failurePolicy.from === "step" ? node.onFailure : failurePolicy.value === "halt" ? "halt" : "isolate",
  };
  return node.kind === "gate" || node.child !== null || node.choose !== null || node.work !== null
    ? governed
    : onDuty(governed, team, policies);
}

function onDuty(node: PlanNode, team: Team, policies: ResolvedPolicies): PlanNode {
  // No member replaces an agent that the author names.
  const found = node.request.agent === null ? assignNode(team, needsOf(node)) : null;
  return {
    ...node,
    duty: found === null ? null : { ...dutyOf(found, team, policies), toolBans: toolBansOf(team, needsOf(node)) },
    approval: node.approval ?? approvalOf(policies, found),
  };
}

/** Returns the policies written in the step itself. Only their presence matters, not their values. */
function explicitOf(node: PlanNode): TeamPolicies {
  return {
    ...(node.isOnFailureWritten ? { failurePolicy: "isolate" as const } : {}),
    ...(node.isRetryWritten ? { retryPolicy: { attempts: 1, backoffMs: 0, maxBackoffMs: 0, retryOn: [] } } : {}),
    ...(node.approval === null ? {} : { approvalPolicy: node.approval }),
  };
}

function needsOf({ request, body }: PlanNode): Parameters<typeof assignNode>[1] {
  const lens = body.kind === "lens" ? body : null;
  return {
    requiredTools: request.tools,
    requiredTier: lens?.requiredTier ?? null,
    roleTag: lens?.roleTag ?? request.role,
  };
}

function dutyOf(
  { eligible, considered }: AssignmentResult,
  team: Team,
  policies: ResolvedPolicies,
): Omit<Duty, "toolBans"> {
  const isSerial = policies.queuePolicy.value === "serial";
  // An agent with several places is considered once: an agent that failed is no fallback for itself.
  const isFirstPlace = ({ member }: AssignedMember, index: number): boolean =>
    eligible.findIndex((other) => other.member.agent === member.agent) === index;
  const candidates = eligible.filter(isFirstPlace).map(({ member, reasons }) => ({
    agent: member.agent,
    lane: isSerial ? member.lane : null,
    reasons,
    allowedTools: member.toolProfile.allowTools,
    promptPatch: member.systemPromptPatch,
  }));
  return {
    team: team.name,
    candidates: policies.failurePolicy.value === "fallback" ? candidates : candidates.slice(0, 1),
    considered,
  };
}

/** Returns the rule for an approval before the node, if the team or one of the tools requires it. */
function approvalOf({ approvalPolicy }: ResolvedPolicies, found: AssignmentResult | null): ApprovalRule | null {
  if (approvalPolicy.value !== null) return approvalPolicy.value;
  return found?.assigned?.needsApproval === true ? ANYONE : null;
}
