import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { compareCodeUnits, getOwn, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { suggest } from "../core/definition/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { readDocuments, readSource } from "../core/text/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { SERVER_CATALOG } from "./remote-plan.ts";
import { readSourceFile, reasonOf, type SourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

export const MANIFEST_STATUSES = ["active", "paused", "deprecated"] as const;

/** A workflow as it is to be on the server. */
export interface WorkflowManifest {
  readonly name: string;
  readonly source: string;
  readonly status: (typeof MANIFEST_STATUSES)[number] | null;
}

const EXTENSIONS = [".yaml", ".yml", ".json", ".lobsterX"];
const SPEC_KEYS = ["source", "status"];

/** Everything under the given files and folders, all of it checked before any of it counts. */
export async function readManifests(io: Io, names: readonly string[]): Promise<readonly WorkflowManifest[]> {
  const found: WorkflowManifest[] = [];
  let wrong = 0;
  const refuse = (file: SourceFile, place: string, message: string): void => {
    wrong += 1;
    io.err.write(`${printable(file.name)}${place}: ${printable(message)}\n`);
  };
  for (const name of (await Promise.all(names.map((one) => filesOf(io, one)))).flat()) {
    const file = await readSourceFile(io, name);
    for (const manifest of readFile(io, file, refuse)) {
      if (found.some((other) => other.name === manifest.name)) refuse(file, "", `"${manifest.name}" is given twice`);
      else found.push(manifest);
    }
  }
  if (wrong > 0) throw new Refusal("the manifests are not valid, nothing was changed");
  if (found.length === 0) throw new Refusal("there is nothing to apply: no workflow was found");
  return found;
}

/** A folder stands for the files right in it that could hold manifests. */
async function filesOf(io: Io, name: string): Promise<readonly string[]> {
  if (name === "-") return [name];
  const path = resolve(io.cwd, name);
  try {
    if (!(await stat(path)).isDirectory()) return [name];
    const entries = await readdir(path);
    return entries
      .filter((entry) => EXTENSIONS.some((extension) => entry.endsWith(extension)) && !entry.endsWith(".script.yaml"))
      .sort(compareCodeUnits)
      .map((entry) => relative(io.cwd, join(path, entry)));
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

type Refuse = (file: SourceFile, place: string, message: string) => void;

/** A stream of manifests, or one workflow written out as such. */
function readFile(io: Io, file: SourceFile, refuse: Refuse): readonly WorkflowManifest[] {
  const alone = readSource(file.bytes).tree?.value;
  if (alone !== undefined && isJsonObject(alone) && !Object.hasOwn(alone, "kind")) {
    const source = new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.bytes);
    const checked = checkedSource(io, file, file, source, refuse);
    return checked === null ? [] : [{ name: checked, source, status: null }];
  }
  const { trees, problems } = readDocuments(file.bytes);
  printProblems(io, file, problems);
  if (problems.length > 0) refuse(file, "", "the file cannot be read as a stream of manifests");
  return trees.flatMap((tree) => {
    const { line, column } = tree.placeOf([]);
    const place = `:${line}:${column}`;
    const manifest = readManifest(tree.value, (message) => refuse(file, place, message));
    if (manifest === null) return [];
    const inside = {
      ...file,
      name: `${file.name} (${manifest.name})`,
      bytes: new TextEncoder().encode(manifest.source),
    };
    const name = checkedSource(io, file, inside, manifest.source, refuse);
    if (name !== null && name !== manifest.name) {
      refuse(file, place, `the manifest is called "${manifest.name}", but its source "${name}"`);
    }
    return [manifest];
  });
}

/** The name of a definition that is valid as far as can be told without the server. */
function checkedSource(io: Io, file: SourceFile, inside: SourceFile, source: string, refuse: Refuse): string | null {
  const { plan, problems } = checkSource(source, SERVER_CATALOG);
  printProblems(io, inside, problems);
  if (plan === null) refuse(file, "", "the workflow is not valid");
  return plan?.name ?? null;
}

function readManifest(value: Json, refuse: (message: string) => void): WorkflowManifest | null {
  if (!isJsonObject(value)) {
    refuse("a manifest is a map with kind, name and spec");
    return null;
  }
  const kind = getOwn(value, "kind");
  if (kind !== "Workflow") {
    refuse(`only manifests of kind Workflow can be applied, not ${JSON.stringify(kind ?? null)}`);
    return null;
  }
  const name = getOwn(value, "name");
  const spec = getOwn(value, "spec");
  const source = isJsonObject(spec) ? getOwn(spec, "source") : undefined;
  if (typeof name !== "string" || !isJsonObject(spec) || typeof source !== "string") {
    refuse("a Workflow needs a name and a spec with the text of the workflow as source");
    return null;
  }
  refuseStrangers(value, ["kind", "name", "spec"], refuse);
  refuseStrangers(spec, SPEC_KEYS, refuse);
  const given = getOwn(spec, "status");
  const status = MANIFEST_STATUSES.find((one) => one === given) ?? null;
  if (given !== undefined && status === null) refuse(`status must be ${MANIFEST_STATUSES.join(", ")}`);
  return { name, source, status };
}

function refuseStrangers(value: JsonObject, known: readonly string[], refuse: (message: string) => void): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const meant = suggest(key, known);
    refuse(`"${key}" cannot be applied${meant === undefined ? "" : `, did you mean "${meant}"?`}`);
  }
}
