/**
 * Steps inside a lens graph: of a node (`config.steps`, `config.choose`), and those that come last (`finally`). They are read as
 * a document of their own, whose args are what the node is given by its labels, so that every rule of steps holds for them.
 */
import { type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { nameOfLabel } from "../template/index.ts";
import type { Catalog, LensEdge, LobsterDefinition } from "./definition.ts";
import type { RawLensNode } from "./lens-graph-shape.ts";
import { readLobster } from "./lobster.ts";
import { Report } from "./report.ts";
import type { Located } from "./shape.ts";

const HELD = ["steps", "choose", "outputs"] as const;

export function hasInside({ config }: RawLensNode): boolean {
  return config?.read.steps !== undefined || config?.read.choose !== undefined;
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
  const step = { id: read.id ?? "node", ...Object.fromEntries(written) };
  const at = read.config?.path ?? path;
  return readPart({ steps: [step] }, labels, around, ([list, index, key, ...rest]) => {
    if (list !== "steps" || index !== 0) return null;
    if (key === undefined) return path;
    return key === "id" ? [...path, "id"] : [...at, key, ...rest];
  });
}

/** A document whose steps do nothing, followed by what comes last. */
export function readLast(last: Json, around: Around): LobsterDefinition {
  const nothing = { id: "graph", set: { settled: true } };
  return readPart({ steps: [nothing], finally: last }, around.rootLabels, around, (path) =>
    path[0] === "finally" ? path : null,
  );
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
