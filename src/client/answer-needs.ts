import type { ProvenanceQuery } from "../contract/index.ts";
import { hasFields, type Needs } from "./caller.ts";

/** Required fields of each answer. An answer without them does not come from a Sluice server. */
export const NEEDS = {
  run: ["id", "status"],
  state: ["status", "nodeResults"],
  checkpoint: ["eventId", "state"],
  node: ["node", "attempts"],
  turn: ["nodeId", "rounds"],
  branchPreview: ["carriedOver", "runsAgain"],
  approval: ["id", "status", "digest"],
  newKey: ["id", "key"],
  registered: ["id"],
  workflow: ["name", "version"],
  version: ["name", "version", "source"],
  validation: ["ok", "problems"],
  chain: ["ok", "records"],
  applied: ["applied"],
  platform: ["open"],
  usage: ["data", "totals"],
  backtest: ["policy", "counts"],
  simulation: ["status", "nodes", "forecast"],
} as const satisfies Readonly<Record<string, Needs>>;

/** Returns the check for a provenance answer, whose shape depends on the request. */
export function isProvenance(request: ProvenanceQuery): (value: unknown) => boolean {
  if ("format" in request && request.format === "openlineage") return Array.isArray;
  const isLineage =
    ("node" in request && request.node !== undefined) || ("output" in request && request.output !== undefined);
  const needs = isLineage
    ? ["points", "links"]
    : "format" in request && request.format === "prov"
      ? ["prefix"]
      : ["data"];
  return (value) => hasFields(value, needs);
}
