/**
 * What a lens graph says as steps do: the work of a node (`config.steps`, `config.set`, …), and what holds for the whole run
 * (`finally`, `outputs`, `concurrency`). It is read as a document of its own, whose args are what the node is given by its
 * labels, so that every rule of steps holds for it.
 */
import { type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { nameOfLabel } from "../template/index.ts";
import type { Catalog, LensEdge, LobsterDefinition } from "./definition.ts";
import type { RawConfig, RawLensNode } from "./lens-graph-shape.ts";
import { readLobster } from "./lobster.ts";
import { spelledPath } from "./record.ts";
import { Report } from "./report.ts";
import type { Located } from "./shape.ts";

/** What a node does in place of asking a model. */
export const WORK = ["steps", "choose", "set", "script", "wait", "emit", "cancel", "fail"] as const;

/** Once per element of a list, whatever it does. */
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

/** A document with one step, which holds what the node holds. */
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
  const step = { id: read.id ?? "node", ...Object.fromEntries(written), ...(hasWork(config) ? {} : ASKED) };
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

/** Stands for what the node asks by itself. */
const ASKED = { command: "ask" };

/** A document whose steps do nothing: who may be open beside it, and what comes last. */
export function readLast(part: Partial<Record<"finally" | "concurrency", Json>>, around: Around): LobsterDefinition {
  return readPart({ steps: nothingBeside(around.rootLabels), ...part }, around.rootLabels, around, placeInGraph);
}

/** What a run gives, as a document that is given what its nodes return, by their ids. */
export function readResults(outputs: Json, ids: readonly string[], around: Around): LobsterDefinition {
  const names = [...around.rootLabels, ...ids];
  return readPart({ steps: nothingBeside(names), outputs }, names, around, placeInGraph);
}

function placeInGraph(path: TreePath): TreePath | null {
  return path[0] === "finally" || path[0] === "concurrency" || path[0] === "outputs" ? path : null;
}

function nothingBeside(names: readonly string[]): Json {
  const taken = new Set(names.map(nameOfLabel));
  let id = "graph";
  while (taken.has(id)) id += "_";
  return [{ id, set: { settled: true } }];
}

/** What is found in it is reported where it is written. */
function readPart(
  part: JsonObject,
  labels: readonly string[],
  { name, catalog, report }: Around,
  placeOf: (path: TreePath) => TreePath | null,
): LobsterDefinition {
  // Of any type, and perhaps without a value.
  const args = Object.fromEntries(labels.map((label) => [nameOfLabel(label), null]));
  const own = new Report({ isStored: report.isStored });
  const definition = readLobster({ name, args, ...part }, catalog, own);
  report.adopt(own, placeOf);
  return definition;
}
