export { checkSource, type CheckedSource } from "./check.ts";
export { compilePlan, type CompiledPlan, type PlanWarning } from "./compile.ts";
export { describePlan, describePlanToDraw, layersOf } from "./describe.ts";
export { missingForRun } from "./missing.ts";
export * from "./plan.ts";
export { printPlanDot } from "./print-dot.ts";
export { printPlanMermaid } from "./print-mermaid.ts";
export { printPlanText } from "./print-text.ts";
export { retryPolicyOfBlock } from "./retry-policy.ts";
