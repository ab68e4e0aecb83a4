import { formatPath, getOwn, isJsonObject, type JsonObject, type TreePath } from "../base/index.ts";
import { dispatchIdOf } from "../event/index.ts";
import { childOf, type RelatedRuns, leavesIn } from "./related-runs.ts";
import { insideOutputs, readPath } from "./path.ts";
import type { NodeHistory, RunHistory } from "./run-history.ts";

export const NAMESPACE = "sluice";
export const PRODUCER = "urn:sluice:engine";

export function facet(schema: string, about: JsonObject): JsonObject {
  const [version, name] = schema.split("/");
  const url = `https://openlineage.io/spec/facets/${version}/${name}.json#/$defs/${name}`;
  return { _producer: PRODUCER, _schemaURL: url, ...about };
}

/** An output field of a workflow's node, independent of the run. */
interface Field {
  readonly name: string;
  readonly field: string;
  readonly transform: string | null;
  /** The column that received the field unchanged. Null when the field contributed to all columns. */
  readonly column: string | null;
}

/** The outputs of a node are one dataset over all runs, including its instances. The args of a workflow are one as well. */
function datasetName(workflow: string, nodeId: string | null): string {
  return `${workflow}.${nodeId === null ? "args" : nodeId.replace(/\[\d+\]$/, "")}`;
}

/** Elements are not distinguished: `items[3].title` becomes the field `items[].title`. */
function fieldName(path: TreePath): string {
  const text = formatPath(path).replaceAll(/\[\d+\]/g, "[]");
  return text === "" ? "output" : text;
}

function fieldOf(nodeId: string | null, path: string): string {
  if (nodeId === null) return fieldName(readPath(path).slice(1));
  const inside = insideOutputs(path);
  return fieldName(/\[\d+\]$/.test(nodeId) ? ["items", 0, ...inside] : inside);
}

function fieldsRead({ runs }: RelatedRuns, run: RunHistory, history: NodeHistory): readonly Field[] {
  const bound = history.inputs.map(({ sourceRunId, sourceNodeId, sourceOutputPath, transform }): Field => {
    const name = datasetName(runs.get(sourceRunId)?.workflow ?? run.workflow, sourceNodeId);
    return { name, field: fieldOf(sourceNodeId, sourceOutputPath), transform, column: null };
  });
  const childRunId = childOf(history);
  const child = childRunId === null ? undefined : runs.get(childRunId);
  if (child === undefined) return bound;
  const leaves = leavesIn(history, child, []).flatMap((leaf) => fieldsOfLeaf(child, history, leaf));
  return [...bound, ...leaves];
}

function fieldsOfLeaf(child: RunHistory, { result }: NodeHistory, leaf: string): readonly Field[] {
  const outputs = getOwn(result?.outputs ?? {}, leaf);
  const keys = isJsonObject(outputs) ? Object.keys(outputs) : [];
  const name = datasetName(child.workflow, leaf);
  const fields = keys.length === 0 ? ["output"] : keys;
  return fields.map((field) => ({ name, field, transform: "child", column: leaf }));
}

export function datasetsRead(related: RelatedRuns, run: RunHistory, history: NodeHistory): readonly JsonObject[] {
  const names = new Set(fieldsRead(related, run, history).map(({ name }) => name));
  return [...names].map((name) => ({ namespace: NAMESPACE, name, facets: {} }));
}

/** Returns the columns of a result. A result that is only text has the column `output`. */
function columnsOf({ nodeId, result }: NodeHistory): readonly string[] {
  const keys = Object.keys(result?.outputs ?? {});
  const isInstance = /\[\d+\]$/.test(nodeId);
  return (keys.length === 0 ? ["output"] : keys).map((key) => (isInstance ? `items[].${key}` : key));
}

export function datasetWritten({ workflow, runId }: RunHistory, history: NodeHistory, columns: JsonObject): JsonObject {
  const fields = columnsOf(history).map((name) => ({ name }));
  const version = dispatchIdOf({ runId, nodeId: history.nodeId, attempt: history.result?.attempt ?? 0 });
  return {
    namespace: NAMESPACE,
    name: datasetName(workflow, history.nodeId),
    facets: {
      schema: facet("1-1-1/SchemaDatasetFacet", { fields }),
      version: facet("1-0-1/DatasetVersionDatasetFacet", { datasetVersion: version }),
      columnLineage: columns,
    },
  };
}

/** The answer of an agent depends on all its inputs; the outputs of a child run are copied field by field. */
export function columnLineage(related: RelatedRuns, run: RunHistory, history: NodeHistory): JsonObject {
  const read = fieldsRead(related, run, history);
  const isChild = read.some((field) => field.column !== null);
  const fields = columnsOf(history).map((column) => {
    const from = isChild ? read.filter((field) => field.column === column) : read;
    return [column, { inputFields: unique(from).map(inputField) }] as const;
  });
  return facet("1-2-0/ColumnLineageDatasetFacet", { fields: Object.fromEntries(fields) });
}

function unique(fields: readonly Field[]): readonly Field[] {
  return [...new Map(fields.map((field) => [JSON.stringify([field.name, field.field]), field])).values()];
}

function inputField({ name, field, transform, column }: Field): JsonObject {
  const subtype = column !== null ? "IDENTITY" : "TRANSFORMATION";
  const how = { type: "DIRECT", subtype, description: transform ?? "", masking: false };
  return { namespace: NAMESPACE, name, field, transformations: [how] };
}
