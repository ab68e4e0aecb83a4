import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  type Place,
  type Problem,
  type TreePath,
} from "../core/base/index.ts";
import { ALLOW_KEY, didYouMean } from "../core/definition/index.ts";
import { readDocuments, type SourceTree } from "../core/text/index.ts";
import { isManifestKind, MANIFEST_KINDS, type ManifestKind } from "./kind.ts";
import { shown, specProblem, type SpecProblem } from "./spec-problem.ts";

/** One document of a stream, as far as it could be read. Paths of its problems begin at the document. */
export interface Manifest {
  /** The kind as written, or '' when it is missing. */
  readonly kind: string;
  readonly name: string;
  readonly spec: Json;
  readonly problems: readonly SpecProblem[];
  /** Finds places in the text; null when the manifest came as data, which has no lines. */
  readonly places: ManifestPlaces | null;
}

interface ManifestPlaces {
  placeOf(at: TreePath, isAtKey: boolean): Place;
  /** Returns the place of a line of a text inside the document, as exactly as it is known. */
  placeInText(at: TreePath, inside: Place): Place;
}

export interface ManifestStream {
  readonly manifests: readonly Manifest[];
  /** Problems of the text itself. */
  readonly problems: readonly Problem[];
}

export const MANIFESTS_MAX = 1_000;

/** Reads several manifests from one stream of YAML, or one manifest or a list of them from JSON. */
export function readManifestStream(source: Uint8Array): ManifestStream {
  const { trees, problems } = readPieces(source);
  const lines = new TextDecoder().decode(source).split(/\r\n|\n|\r/);
  const manifests = trees.flatMap(({ tree, linesBefore }) => {
    const { value } = tree;
    if (!isJsonArray(value)) return [readManifest(value, placesOf(tree, [], linesBefore, lines))];
    return value.map((one, index) => readManifest(one, placesOf(tree, [index], linesBefore, lines)));
  });
  return { manifests, problems };
}

/** Reads one manifest or a list of them from data. */
export function readManifestList(sent: Json): readonly Manifest[] {
  return (isJsonArray(sent) ? sent : [sent]).map((one) => readManifest(one, null));
}

interface Piece {
  readonly tree: SourceTree;
  readonly linesBefore: number;
}

/** Reads a stream larger than the limit of one text document by document. Three dashes at the start of a line begin a document. */
function readPieces(source: Uint8Array): { readonly trees: readonly Piece[]; readonly problems: readonly Problem[] } {
  if (
    source.byteLength <= LIMITS.yamlBytesMax ||
    /^\s*[[{]/.test(new TextDecoder().decode(source.subarray(0, 1_024)))
  ) {
    const { trees, problems } = readDocuments(source);
    return { trees: trees.map((tree) => ({ tree, linesBefore: 0 })), problems };
  }
  const trees: Piece[] = [];
  const problems: Problem[] = [];
  let linesBefore = 0;
  for (const piece of new TextDecoder("utf-8", { ignoreBOM: true }).decode(source).split(/^(?=---(?:\s|$))/m)) {
    const before = linesBefore;
    linesBefore += piece.split(/\r\n|\n|\r/).length - 1;
    if (/^(?:---)?\s*$/.test(piece)) continue;
    const read = readDocuments(piece);
    trees.push(...read.trees.map((tree) => ({ tree, linesBefore: before })));
    problems.push(...read.problems.map((problem) => ({ ...problem, line: problem.line + before })));
    if (problems.length >= LIMITS.problemsMax) break;
  }
  return { trees, problems: problems.slice(0, LIMITS.problemsMax) };
}

function placesOf(tree: SourceTree, base: TreePath, linesBefore: number, lines: readonly string[]): ManifestPlaces {
  const shift = ({ line, column }: Place): Place => ({ line: line + linesBefore, column });
  const placeOf = (at: TreePath, isAtKey: boolean): Place =>
    shift(isAtKey ? tree.keyPlaceOf([...base, ...at]) : tree.placeOf([...base, ...at]));
  return {
    placeOf,
    placeInText(at, inside) {
      const start = placeOf(at, false);
      // Only a `|` block keeps the lines of its text, which begins on the line after the sign.
      if (lines[start.line - 1]?.charAt(start.column - 1) !== "|") return start;
      const line = start.line + inside.line;
      const first = lines.slice(start.line).find((text) => text.trim() !== "") ?? "";
      return { line, column: inside.column + (first.length - first.trimStart().length) };
    },
  };
}

const KEYS = ["kind", "name", "spec"];
/** Keys of manifests of other systems, with a hint what to write instead. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["apiVersion", "Remove it: a manifest has kind, name and spec."],
  ["metadata", "Write the name beside kind; everything else stands in the spec."],
]);
const KINDS = Object.keys(MANIFEST_KINDS);

function readManifest(value: Json, places: ManifestPlaces | null): Manifest {
  if (!isJsonObject(value)) {
    const problem = specProblem("wrong_type", [], "A manifest must be a map with kind, name and spec.");
    return { kind: "", name: "", spec: null, problems: [problem], places };
  }
  const problems: SpecProblem[] = [];
  for (const key of Object.keys(value)) {
    if (KEYS.includes(key) || key === ALLOW_KEY) continue;
    const hint =
      FOREIGN.get(key) ??
      didYouMean(key, KEYS) ??
      `The keys are ${KEYS.join(", ")}; everything else stands in the spec.`;
    problems.push(specProblem("unknown_key", [key], `"${key}" is not a key of a manifest.`, { isAtKey: true, hint }));
  }
  for (const key of KEYS) {
    if (Object.hasOwn(value, key)) continue;
    problems.push(specProblem("missing_field", [key], `A manifest needs "${key}".`, { hint: `Add "${key}".` }));
  }
  const kind = textOf(getOwn(value, "kind"), "kind", problems);
  const name = textOf(getOwn(value, "name"), "name", problems);
  if (kind !== "" && !isManifestKind(kind)) {
    const hint = didYouMean(kind, KINDS) ?? `The kinds are ${KINDS.join(", ")}.`;
    problems.push(specProblem("bad_enum", ["kind"], `There is no kind ${shown(kind)} of manifest.`, { hint }));
  }
  return { kind, name, spec: specOf(value), problems, places };
}

/** Returns the spec. The key that allows texts that resemble secrets may also be written beside the spec. */
function specOf(value: JsonObject): Json {
  const spec = getOwn(value, "spec") ?? null;
  const isAllowed = getOwn(value, ALLOW_KEY);
  return isJsonObject(spec) && isAllowed !== undefined ? { [ALLOW_KEY]: isAllowed, ...spec } : spec;
}

function textOf(value: Json | undefined, key: string, problems: SpecProblem[]): string {
  if (typeof value === "string") return value;
  if (value !== undefined) problems.push(specProblem("wrong_type", [key], `"${key}" must be text.`));
  return "";
}

export function kindOf({ kind, problems }: Manifest): ManifestKind | null {
  return isManifestKind(kind) && problems.length === 0 ? kind : null;
}
