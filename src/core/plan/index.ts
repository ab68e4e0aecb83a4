export { checkSource, type CheckedSource } from "./check.ts";
export { compilePlan, type CompiledPlan, type PlanWarning } from "./compile.ts";
export { describePlan, describePlanToDraw, layersOf } from "./describe.ts";
export { missingForRun } from "./missing.ts";
export * from "./plan.ts";
export { printPlanDot } from "./print-dot.ts";
export { printPlanMermaid } from "./print-mermaid.ts";
export { printPlanText } from "./print-text.ts";
export { retryPolicyOfBlock } from "./retry-policy.ts";
export * from "./instructions.ts";
export {
  catalogOfPins,
  compilePinned,
  hasNoPins,
  NO_PINS,
  type PinnedVersion,
  pinnedVersion,
  type Pins,
  pinsOfJson,
  pinsToJson,
  refText,
} from "./pins.ts";
export { applyTeam } from "./team/apply-team.ts";
export {
  type AssignedMember,
  type AssignmentResult,
  assignNode,
  type ConsideredMember,
  type NodeNeeds,
} from "./team/assign.ts";
export { type Resolved, type ResolvedPolicies, resolvePolicies } from "./team/policies.ts";
export * from "./team/team.ts";
