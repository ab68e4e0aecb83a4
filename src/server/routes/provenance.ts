import type { z } from "zod";
import { type LineageView, provenanceQuery, provenanceSchema } from "../../contract/index.ts";
import { getOwn } from "../../core/base/index.ts";
import {
  type RelatedRuns,
  handoffsOf,
  insideOutputs,
  isOutputName,
  type Lineage,
  lineageOf,
  readRelatedRuns,
  readPath,
  toOpenLineage,
  toProv,
} from "../../core/provenance/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { FAMILY_LIMITS, familyLogs } from "../family-logs.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { invalidRequest } from "../shape.ts";
import { requireRun } from "./runs.ts";

type ProvenanceCall = Call<undefined, z.output<typeof provenanceQuery>>;

/** Rows need only the runs that they name. */
const NEAR = { reach: 1, ...FAMILY_LIMITS };
const FAR = { reach: FAMILY_LIMITS.runs, ...FAMILY_LIMITS };

export const provenanceRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/provenance",
    operation: "runs.provenance",
    summary: "Shows the sources of values: hand-offs of a run, the lineage of one value across runs, or an export.",
    permission: "run:read",
    query: provenanceQuery,
    replies: {
      200: { description: "Hand-offs, a lineage, or a document", schema: provenanceSchema },
    },
    handle: showProvenance,
  }),
];

async function showProvenance(call: ProvenanceCall): Promise<Response> {
  const { services, query } = call;
  const run = await requireRun(call);
  const { format, node, output } = query;
  const isLineage = node !== undefined || output !== undefined;
  if (isLineage && format !== "json") throw invalidRequest([lineageOnly(format)]);
  const isRows = !isLineage && format === "json";
  const related = readRelatedRuns(await familyLogs(services.store, run, isRows ? NEAR : FAR));
  if (isLineage) return json(showLineage(related, run, query));
  switch (format) {
    case "json":
      return json({ data: handoffsOf(related, run.runId) });
    case "prov":
      return json(toProv(related, run.runId, isoFromEpochMs));
    case "openlineage":
      return json(toOpenLineage(related, run.runId, isoFromEpochMs));
  }
}

function lineageOnly(format: string) {
  const message = `A lineage is available as json only, not as ${format}.`;
  return { code: "invalid_request", message, path: "format", hint: "Leave out node and output, or the format." };
}

function showLineage(related: RelatedRuns, { runId }: RunRecord, { node, output, direction }: ProvenanceCall["query"]) {
  if (node === undefined) requireArg(related, runId, output ?? "");
  else requireOutput(related, runId, node, output);
  const start = { runId, nodeId: node ?? null, ...(output === undefined ? {} : { output }) };
  return lineageOnWire(lineageOf(related, start, direction));
}

function requireArg({ runs }: RelatedRuns, runId: string, output: string): void {
  const [head, name] = readPath(output);
  const args = runs.get(runId)?.start?.args ?? {};
  if (head === "args" && (name === undefined || getOwn(args, String(name)) !== undefined)) return;
  const hint = head === "args" ? "" : " Name a node as well, or an arg as args.name.";
  throw new Refused("unknown_output", `Run "${runId}" has no arg "${output}".${hint}`);
}

/** Requires that a node's result has the output. Without a result yet, every output name is accepted. */
function requireOutput({ runs }: RelatedRuns, runId: string, nodeId: string, output: string | undefined): void {
  const life = runs.get(runId)?.nodes.get(nodeId)?.histories.at(-1);
  if (life === undefined)
    throw new Refused("unknown_node", `Nothing is known of a node "${nodeId}" of run "${runId}".`);
  if (output === undefined || life.result === null || isOutputName(readPath(output)[0])) return;
  const [name] = insideOutputs(output);
  if (name !== undefined && getOwn(life.result.outputs, String(name)) !== undefined) return;
  const names = Object.keys(life.result.outputs);
  const hint = names.length === 0 ? "its result is a text: ask for stdout" : `it has ${names.slice(0, 10).join(", ")}`;
  throw new Refused("unknown_output", `Node "${nodeId}" has no output "${output}"; ${hint}.`);
}

function lineageOnWire({ attempts, ...lineage }: Lineage): LineageView {
  return {
    ...lineage,
    attempts: attempts.map(({ startedAt, endedAt, ...facts }) => ({
      ...facts,
      promptRef: `/api/v1/runs/${encodeURIComponent(facts.runId)}/nodes/${encodeURIComponent(facts.nodeId)}`,
      startedAt: isoFromEpochMs(startedAt),
      endedAt: endedAt === null ? null : isoFromEpochMs(endedAt),
    })),
  };
}
