import {
  getOwn,
  isJsonObject,
  LIMITS,
  type Json,
  type JsonObject,
  type Problem,
  type TreePath,
} from "../base/index.ts";
import { readDocuments } from "../text/index.ts";
import type { Catalog, Lens } from "./definition.ts";
import { readLens } from "./lens.ts";
import { comparePlaces, placeFindings } from "./placing.ts";
import { Report } from "./report.ts";
import { refuseType } from "./shape.ts";
import { libraryStepShape } from "./step-shape.ts";
import { givenName } from "./text-shape.ts";
import type { ToolPattern } from "./tool-name.ts";

interface Entries {
  readonly library: Map<string, JsonObject>;
  readonly lenses: Map<string, Lens>;
  readonly lensSpecs: Map<string, JsonObject>;
  readonly tools: ToolPattern[];
}

/**
 * Reads library steps, lenses and tools from a stream of manifests `kind`, `name`, `spec`. Other kinds are skipped. A
 * document without `kind` is a plain map `steps: {name: fields}`, `lenses: {name: spec}`. The stream is the complete
 * step library. If it contains no lens, lenses are unknown.
 */
export function readCatalog(source: string | Uint8Array): {
  readonly catalog: Catalog;
  /** The lens specs as they were written. */
  readonly lensSpecs: Readonly<Record<string, JsonObject>>;
  readonly problems: readonly Problem[];
} {
  const { trees, problems: textProblems } = readDocuments(source);
  const entries: Entries = { library: new Map(), lenses: new Map(), lensSpecs: new Map(), tools: [] };
  const problems = [...textProblems];
  for (const tree of trees) {
    const report = new Report();
    readManifest(tree.value, entries, report);
    problems.push(...placeFindings(report.problems, tree, source));
  }
  const { library, lenses, lensSpecs, tools } = entries;
  return {
    catalog: {
      library: Object.fromEntries(library),
      lenses: lenses.size === 0 ? null : Object.fromEntries(lenses),
      workflows: null,
      ...(tools.length === 0 ? {} : { tools }),
    },
    lensSpecs: Object.fromEntries(lensSpecs),
    problems: problems.sort(comparePlaces).slice(0, LIMITS.problemsMax),
  };
}

function readManifest(value: Json, entries: Entries, report: Report): void {
  if (!isJsonObject(value)) {
    refuseType([], report, "a map with kind, name and spec", value);
    return;
  }
  if (!Object.hasOwn(value, "kind")) return readPlainMap(value, entries, report);
  const kind = getOwn(value, "kind");
  if (kind === "Tool") return addTool(getOwn(value, "spec"), entries);
  if (kind !== "LibraryStep" && kind !== "Lens") return;
  for (const field of ["name", "spec"]) {
    if (Object.hasOwn(value, field)) continue;
    report.problem("missing_field", [field], `A ${kind} needs "${field}".`, { at: [], hint: `Add "${field}".` });
  }
  const name = givenName.read(getOwn(value, "name") ?? "unnamed", ["name"], report) ?? "unnamed";
  const spec = getOwn(value, "spec");
  if (spec === undefined) return;
  if (kind === "LibraryStep") addStep(name, spec, ["spec"], entries, report);
  else addLens(name, spec, ["spec"], entries, report);
}

function readPlainMap(value: JsonObject, entries: Entries, report: Report): void {
  for (const [key, add] of [["steps", addStep] as const, ["lenses", addLens] as const]) {
    const members = getOwn(value, key);
    if (members === undefined) continue;
    if (!isJsonObject(members)) {
      refuseType([key], report, "a map of names", members);
      continue;
    }
    for (const [name, spec] of Object.entries(members)) add(name, spec, [key, name], entries, report);
  }
  for (const key of Object.keys(value)) {
    if (key === "steps" || key === "lenses") continue;
    const hint = "Write manifests with kind, name and spec, or a map with steps and lenses.";
    report.problem("unknown_key", [key], `"${key}" is not a key of a library.`, { isAtKey: true, hint });
  }
}

/** Reads only the names of a tool. Its problems are reported by the manifest reader. */
function addTool(spec: Json | undefined, { tools }: Entries): void {
  if (!isJsonObject(spec)) return;
  const [name, server] = [getOwn(spec, "name"), getOwn(spec, "server")];
  const isSaid = (getOwn(spec, "action") ?? null) !== null || getOwn(spec, "trusted") === true;
  if (typeof name === "string" && isSaid) tools.push({ name, server: typeof server === "string" ? server : null });
}

function addStep(name: string, spec: Json, path: TreePath, entries: Entries, report: Report): void {
  libraryStepShape.read(spec, path, report);
  if (entries.library.has(name)) reportTwice(`Library step "${name}"`, path, report);
  if (isJsonObject(spec)) entries.library.set(name, spec);
}

function addLens(name: string, spec: Json, path: TreePath, entries: Entries, report: Report): void {
  const lens = readLens(name, spec, path, report);
  if (entries.lenses.has(name)) reportTwice(`Lens "${name}"`, path, report);
  entries.lenses.set(name, lens);
  if (isJsonObject(spec)) entries.lensSpecs.set(name, spec);
}

function reportTwice(what: string, path: TreePath, report: Report): void {
  report.problem("duplicate_id", path, `${what} is declared twice.`, { hint: "Remove one of them." });
}
