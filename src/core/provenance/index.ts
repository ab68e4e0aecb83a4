export { type RelatedRuns, readRelatedRuns } from "./related-runs.ts";
export { handoffsOf } from "./handoff.ts";
export { type Lineage, lineageOf, type LineageStart } from "./lineage.ts";
export type { ArgOrigin, RunLog } from "./log.ts";
export { toOpenLineage } from "./open-lineage.ts";
export { insideOutputs, isOutputName, readPath } from "./path.ts";
export { toProv } from "./prov.ts";
export { relativesOf } from "./relatives.ts";
