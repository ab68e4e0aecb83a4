/**
 * The parts of a lens graph that are written like steps: the work of a node (`config.steps`, `config.set`, …), and the
 * fields of the whole run (`finally`, `outputs`, `concurrency`). Each part is read as a separate document, whose args
 * are the labels of the node, so that all rules of steps apply to it.
 */
import { type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { nameOfLabel } from "../template/index.ts";
import type { Catalog, LensEdge, LobsterDefinition } from "./definition.ts";
import type { RawConfig, RawLensNode } from "./lens-graph-shape.ts";
import { readLobster } from "./lobster.ts";
import { spelledPath } from "./record.ts";
import { Report } from "./report.ts";
import type { Located } from "./shape.ts";

/** Fields for work that a node does instead of calling a model. */
export const WORK = ["steps", "choose", "set", "script", "wait", "emit", "cancel", "fail"] as const;

/** Fields that run the node once per element of a list. They can be combined with any work. */
export const ELEMENTS = ["for_each", "as", "max_items", "max_parallel", "tolerate"] as const;

const HELD = [...WORK, ...ELEMENTS, "outputs"] as const;

export function hasInside({ config }: RawLensNode): boolean {
  return [...WORK, ...ELEMENTS].some((key) => config?.read[key] !== undefined);
}

interface Around {
  readonly name: string;
  readonly rootLabels: readonly string[];
  readonly edges: readonly LensEdge[];
  readonly catalog: Catalog;
  readonly report: Report;
}

/** Reads the work of a node as a document with one step. */
export function readInside({ read, path }: Located<RawLensNode>, around: Around): LobsterDefinition {
  const config = read.config?.read ?? {};
  const written = HELD.flatMap((key): [string, Json][] => {
    const value = config[key];
    return value === undefined ? [] : [[key, value]];
  });
  const labels = [
    ...around.rootLabels,
    ...around.edges.filter(({ target }) => target === read.id).map(({ targetParamLabel }) => targetParamLabel),
    ...Object.keys(config.param_overrides ?? {}),
    ...(config.repeat === undefined ? [] : ["round", "previous"]),
  ];
  const step = {
    id: read.id ?? "node",
    ...Object.fromEntries(written),
    ...(hasWork(config) ? {} : PLACEHOLDER_COMMAND),
  };
  const at = read.config?.path ?? path;
  return readPart({ steps: [step] }, labels, around, ([list, index, key, ...rest]) => {
    if (list !== "steps" || index !== 0) return null;
    if (key === undefined) return path;
    return key === "id" ? [...path, "id"] : [...spelledPath(read.config?.raw, at, String(key)), ...rest];
  });
}

function hasWork(config: RawConfig): boolean {
  return WORK.some((key) => config[key] !== undefined);
}

/** Placeholder command for a node that calls a model. */
const PLACEHOLDER_COMMAND = { command: "ask" };

/** Reads `finally` and `concurrency` as a document whose only other step does nothing. */
export function readLast(part: Partial<Record<"finally" | "concurrency", Json>>, around: Around): LobsterDefinition {
  return readPart({ steps: placeholderSteps(around.rootLabels), ...part }, around.rootLabels, around, placeInGraph);
}

/** Reads the outputs of the run as a document whose args are the outputs of the nodes, by their ids. */
export function readResults(outputs: Json, ids: readonly string[], around: Around): LobsterDefinition {
  const names = [...around.rootLabels, ...ids];
  return readPart({ steps: placeholderSteps(names), outputs }, names, around, placeInGraph);
}

function placeInGraph(path: TreePath): TreePath | null {
  return path[0] === "finally" || path[0] === "concurrency" || path[0] === "outputs" ? path : null;
}

function placeholderSteps(names: readonly string[]): Json {
  const taken = new Set(names.map(nameOfLabel));
  let id = "graph";
  while (taken.has(id)) id += "_";
  return [{ id, set: { settled: true } }];
}

/** Reads a part as a document. Its problems are reported at their location in the graph. */
function readPart(
  part: JsonObject,
  labels: readonly string[],
  { name, catalog, report }: Around,
  placeOf: (path: TreePath) => TreePath | null,
): LobsterDefinition {
  // The args have any type, and may have no value.
  const args = Object.fromEntries(labels.map((label) => [nameOfLabel(label), null]));
  const own = new Report({ isStored: report.isStored });
  const definition = readLobster({ name, args, ...part }, catalog, own);
  report.addFindings(own, placeOf);
  return definition;
}
