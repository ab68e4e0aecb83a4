import type { ToolBans } from "../plan.ts";
import { type Member, SUPPORT_LEVELS, type SupportLevel, type Team } from "./team.ts";

/** Requirements of a node for the member that takes it. */
export interface NodeNeeds {
  readonly requiredTools: readonly string[];
  readonly requiredTier: SupportLevel | null;
  readonly roleTag: string | null;
}

export interface AssignmentResult {
  /** Null when no member may take the node. It then waits for a person to name an agent. */
  readonly assigned: AssignedMember | null;
  /** All members that may take the node, the assigned one first. The next one follows after a failure. */
  readonly eligible: readonly AssignedMember[];
  /** All members in the order of evaluation, with the reasons for or against each. */
  readonly considered: readonly ConsideredMember[];
}

export interface AssignedMember {
  readonly member: Member;
  readonly needsApproval: boolean;
  /** Tools that a person must approve first. */
  readonly toolsToApprove: readonly string[];
  readonly reasons: readonly string[];
}

export interface ConsideredMember {
  readonly agent: string;
  readonly isEligible: boolean;
  readonly reasons: readonly string[];
}

/** Assigns the first member that may take the node. Order: members with its role first, then lane, sort order and list position. */
export function assignNode(team: Team, needs: NodeNeeds): AssignmentResult {
  const judged = inOrder(team.members, needs).map((member) => judge(member, needs));
  const eligible = judged
    .filter(({ isEligible }) => isEligible)
    .map(({ member, toolsToApprove, reasons }) => ({
      member,
      needsApproval: toolsToApprove.length > 0,
      toolsToApprove,
      reasons,
    }));
  return {
    assigned: eligible[0] ?? null,
    eligible,
    considered: judged.map(({ member, isEligible, reasons }) => ({ agent: member.agent, isEligible, reasons })),
  };
}

/**
 * Returns, of the tools that a node needs, those that each member may not use even with the consent of a person, and those that
 * no member may use, which are also forbidden to an agent from outside the team. For an agent with several places, the widest
 * permission counts.
 */
export function toolBansOf(team: Team, { requiredTools }: NodeNeeds): ToolBans {
  const byAgent = new Map<string, readonly string[]>();
  for (const member of team.members) {
    const { refused } = sortTools(member, requiredTools);
    const before = byAgent.get(member.agent) ?? refused;
    byAgent.set(member.agent, intersect(before, refused));
  }
  const others = [...byAgent.values()].reduce(intersect, [...new Set(requiredTools)]);
  return { byAgent: Object.fromEntries(byAgent), others };
}

function intersect(left: readonly string[], right: readonly string[]): readonly string[] {
  return left.filter((tool) => right.includes(tool));
}

function inOrder(members: readonly Member[], needs: NodeNeeds): readonly Member[] {
  const rank = (member: Member): number => (hasRole(member, needs) ? 0 : 1);
  return [...members].sort(
    (left, right) => rank(left) - rank(right) || left.lane - right.lane || left.sortOrder - right.sortOrder,
  );
}

function hasRole(member: Member, { roleTag }: NodeNeeds): boolean {
  return roleTag !== null && member.role === roleTag;
}

interface Judged {
  readonly member: Member;
  readonly isEligible: boolean;
  readonly toolsToApprove: readonly string[];
  readonly reasons: readonly string[];
}

function judge(member: Member, needs: NodeNeeds): Judged {
  const { covered, toApprove, refused } = sortTools(member, needs.requiredTools);
  const { supportLevel } = member.modelProfile;
  const reachesTier = needs.requiredTier === null || levelOf(supportLevel) >= levelOf(needs.requiredTier);
  const against = [
    ...(member.isActive ? [] : ["is not active"]),
    ...refused.map((tool) => `may not use tool ${tool}`),
    ...(reachesTier ? [] : [`support level ${supportLevel} is below ${needs.requiredTier}`]),
  ];
  if (against.length > 0) return { member, isEligible: false, toolsToApprove: [], reasons: against };
  const inFavour = [
    ...(hasRole(member, needs) ? [`role ${member.role} is the node's role`] : []),
    ...(covered.length > 0 ? [`may use ${covered.join(", ")}`] : []),
    ...toApprove.map((tool) => `may use ${tool} once a person agrees`),
    ...(needs.requiredTier === null ? [] : [`support level ${supportLevel} reaches ${needs.requiredTier}`]),
    `lane ${member.lane}, sort order ${member.sortOrder}`,
  ];
  return { member, isEligible: true, toolsToApprove: toApprove, reasons: inFavour };
}

function sortTools(member: Member, tools: readonly string[]): Record<"covered" | "toApprove" | "refused", string[]> {
  const { allowTools, requiresApproval } = member.toolProfile;
  const sorted = { covered: [] as string[], toApprove: [] as string[], refused: [] as string[] };
  for (const tool of new Set(tools)) {
    const isAllowed = allowTools.includes(tool);
    // A tool that is both allowed and marked counts as marked: the stricter rule applies.
    const isMarked =
      typeof requiresApproval === "boolean" ? requiresApproval && !isAllowed : requiresApproval.includes(tool);
    sorted[isMarked ? "toApprove" : isAllowed ? "covered" : "refused"].push(tool);
  }
  return sorted;
}

function levelOf(level: SupportLevel): number {
  return SUPPORT_LEVELS.indexOf(level);
}
