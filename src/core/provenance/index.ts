export type { ApprovalFacts, AttemptFacts } from "./attempt-facts.ts";
export { type Family, readFamily } from "./family.ts";
export { type Handoff, handoffsOf } from "./handoff.ts";
export {
  type Direction,
  type Lineage,
  LINEAGE_LIMITS,
  type LineageLink,
  lineageOf,
  type LineagePoint,
  type LineageStart,
} from "./lineage.ts";
export type { ArgOrigin, RunLog } from "./log.ts";
export { toOpenLineage } from "./open-lineage.ts";
export { insideOutputs, isOutputName, readPath } from "./path.ts";
export { toProv, type WriteInstant } from "./prov.ts";
export { relativesOf } from "./relatives.ts";
