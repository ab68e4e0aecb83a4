export { checkSource } from "./check.ts";
export { describePlan, describePlanToDraw, layersOf } from "./describe.ts";
export { waitsForText } from "./waits-for.ts";
export { missingForRun } from "./missing.ts";
export * from "./plan.ts";
export { printPlanDot } from "./print-dot.ts";
export { printPlanMermaid } from "./print-mermaid.ts";
export { printPlanText } from "./print-text.ts";
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
export * from "./team/team.ts";
export { FINALLY } from "../definition/index.ts";
