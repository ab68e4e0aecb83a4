export { applyTeam } from "./apply-team.ts";
export {
  type AssignedMember,
  type AssignmentResult,
  assignNode,
  type ConsideredMember,
  type NodeNeeds,
} from "./assign.ts";
export { type Resolved, type ResolvedPolicies, resolvePolicies } from "./policies.ts";
export * from "./team.ts";
