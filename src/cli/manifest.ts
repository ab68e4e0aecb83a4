import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { compareCodeUnits, isJsonObject, type Problem } from "../core/base/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { readSource } from "../core/text/index.ts";
import { type Manifest, manifestProblems, placeOfPath, readManifestStream } from "../registry/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { SERVER_CATALOG } from "./remote-plan.ts";
import { reasonOf, type SourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";
import { readWorkflowFiles, refuseModule } from "./workflow-file.ts";

/** A manifest and the file that contains it. */
export interface FiledManifest {
  readonly manifest: Manifest;
  readonly file: SourceFile;
}

const MANIFEST_FILE = /\.(?:ya?ml|json|lobsterX|workflow\.[cm]?ts)$/;
/** Files that stand beside workflows and are for tests of them. */
const TEST_FILE = /\.(?:script|cases|snapshots)\.(?:ya?ml|json)$/;

/** Reads all manifests in the given files and folders. Checks all of them before any is used. */
export async function readManifests(io: Io, names: readonly string[]): Promise<readonly FiledManifest[]> {
  const found: FiledManifest[] = [];
  let isValid = true;
  for (const name of (await Promise.all(names.map((one) => filesOf(io, one)))).flat()) {
    const files = await readWorkflowFiles(io, name).catch((thrown: unknown) => refuseModule(io, thrown));
    for (const file of withChildren(files)) {
      const { manifests, problems } = readFile(file);
      printProblems(io, file, problems);
      isValid &&= problems.length === 0;
      found.push(...manifests.map((manifest) => ({ manifest, file })));
    }
  }
  if (!isValid) throw new Refusal("the manifests are not valid, nothing was changed");
  if (found.length === 0) throw new Refusal("there is nothing to apply: no manifest was found");
  return found;
}

/** Adds the workflows that workflows in code start. Each is included once and precedes the workflow that starts it. */
function withChildren(files: readonly SourceFile[]): readonly SourceFile[] {
  const found = new Map<string, SourceFile>();
  const visit = (file: SourceFile): void => {
    for (const child of file.code?.children ?? []) visit(child);
    const key = file.code?.workflow ?? file.path;
    if (!found.has(key)) found.set(key, file);
  };
  for (const file of files) visit(file);
  return [...found.values()];
}

/** A folder is replaced by the files directly in it that could contain manifests. */
async function filesOf(io: Io, name: string): Promise<readonly string[]> {
  if (name === "-") return [name];
  const path = resolve(io.cwd, name);
  try {
    if (!(await stat(path)).isDirectory()) return [name];
    const entries = await readdir(path);
    return entries
      .filter((entry) => MANIFEST_FILE.test(entry) && !TEST_FILE.test(entry))
      .sort(compareCodeUnits)
      .map((entry) => relative(io.cwd, join(path, entry)));
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

interface FileReading {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Problem[];
}

/** Reads a file that is a stream of manifests, or a single workflow. */
function readFile(file: SourceFile): FileReading {
  const alone = readSource(file.bytes).tree?.value;
  if (alone !== undefined && isJsonObject(alone) && !Object.hasOwn(alone, "kind")) return readWorkflow(file);
  const { manifests, problems } = readManifestStream(file.bytes);
  return { manifests, problems: [...problems, ...manifests.flatMap(problemsOf)] };
}

/** Reads a workflow without checking the things it refers to. The server checks them. */
function readWorkflow(file: SourceFile): FileReading {
  const source = new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.bytes);
  const { plan, problems } = checkSource(source, SERVER_CATALOG);
  if (plan === null) return { manifests: [], problems };
  const origin = file.code === undefined ? {} : { origin: "code" };
  return {
    manifests: [{ kind: "Workflow", name: plan.name, spec: { source, ...origin }, problems: [], places: null }],
    problems: [],
  };
}

function problemsOf(manifest: Manifest): readonly Problem[] {
  return manifestProblems(manifest).map(({ line = 1, column = 1, ...problem }) => ({ ...problem, line, column }));
}

/** Converts a path from a server's problem, such as `[2].spec.trust_level`, into `file:line:column`. */
export function placeInFile(found: readonly FiledManifest[], path: string): string {
  const [, index = "", rest = ""] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  const filed = index === "" ? undefined : found[Number(index)];
  if (filed === undefined) return "";
  const { line, column } = placeOfPath(filed.manifest, rest) ?? { line: 1, column: 1 };
  return `${printable(filed.file.name)}:${line}:${column}: `;
}
