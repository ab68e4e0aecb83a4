import type { ProvenanceQuery } from "../contract/index.ts";
import { hasFields, type Needs } from "./caller.ts";

/** What each answer has at least; without it, it is not the answer of a Sluice server. */
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

/** Provenance has a shape of its own for every way of asking for it. */
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
