import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { compareCodeUnits, isJsonObject, type Problem } from "../core/base/index.ts";
import type { Catalog, Definition, WorkflowRef } from "../core/definition/index.ts";
import { checkSource, missingForRun, type Plan, refText } from "../core/plan/index.ts";
import { readSource } from "../core/text/index.ts";
import type { Library } from "./catalog.ts";
import type { Io } from "./io.ts";
import type { CompiledWorkflow } from "./own-engine.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile, type SourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** A workflow that can run, with every workflow it may start. */
export interface Workspace {
  /** Text of the workflow, and the external objects it refers to. */
  readonly workflow: CompiledWorkflow;
  /** Plans of the workflow and of every workflow it may start. */
  readonly plans: readonly Plan[];
  readonly warnings: { readonly file: SourceFile; readonly problems: readonly Problem[] };
}

interface Found {
  readonly file: SourceFile;
  readonly name: string;
  readonly version: number | null;
}

const EXTENSIONS = [".lobsterX", ".yaml", ".yml", ".json"];

/** Reads and checks a file and, in the same folder, the workflows it refers to. Refuses a workflow that cannot run. */
export async function openWorkspace(io: Io, file: SourceFile, library: Library): Promise<Workspace> {
  const { catalog } = library;
  const first = check(io, file, catalog);
  if (!startsOthers(first.plan)) {
    refuseMissing(file, first.definition, catalog);
    const workflow = compiledWorkflowOf(file, first, library, new Map());
    return { workflow, plans: [first.plan], warnings: { file, problems: first.warnings } };
  }
  const own: Found = { file, name: first.plan.name, version: first.definition.version };
  const others = await workflowsBeside(io, file);
  const found = [own, ...others.filter(({ file: other }) => other.path !== file.path)];
  const known: Catalog = { ...catalog, workflows: [...new Set(found.map(({ name }) => name))] };
  const pinned = new Map<Found, Checked>();
  const toCheck = [own];
  const started = new Map<string, Found>();
  for (const next of toCheck) {
    if (pinned.has(next)) continue;
    const checked = check(io, next.file, known);
    refuseMissing(next.file, checked.definition, known);
    pinned.set(next, checked);
    for (const workflow of startedBy(checked.plan)) {
      const chosen = demand(found, workflow, next);
      started.set(refText(workflow), chosen);
      toCheck.push(chosen);
    }
  }
  return {
    workflow: compiledWorkflowOf(file, pinned.get(own) ?? first, library, started),
    plans: [...pinned.values()].map(({ plan }) => plan),
    warnings: { file, problems: first.warnings },
  };
}

/** A workflow and the file that contains it. */
export interface FiledPlan {
  readonly file: SourceFile;
  readonly plan: Plan;
}

/**
 * Returns the workflows a plan may start, from files of the same folder, each after the workflows it starts itself. A
 * workflow that has no file there, or that is referenced with a version, is left to the server.
 */
export async function childFilesOf(
  io: Io,
  file: SourceFile,
  plan: Plan,
  catalog: Catalog,
): Promise<readonly FiledPlan[]> {
  if (!startsOthers(plan)) return [];
  const found = (await workflowsBeside(io, file)).filter(({ file: other }) => other.path !== file.path);
  const children: FiledPlan[] = [];
  const seen = new Set([plan.name]);
  const visit = (by: Plan): void => {
    for (const workflow of startedBy(by)) {
      if (workflow.version !== null || seen.has(workflow.name)) continue;
      seen.add(workflow.name);
      const beside = choose(found, workflow);
      if (beside === undefined) continue;
      const checked = check(io, beside.file, catalog);
      visit(checked.plan);
      children.push({ file: beside.file, plan: checked.plan });
    }
  };
  visit(plan);
  return children;
}

/** Builds the workflow to run. Files in the same folder take the place of workflows saved on a server. */
function compiledWorkflowOf(
  file: SourceFile,
  { plan, definition }: Checked,
  { catalog, lensSpecs }: Library,
  started: ReadonlyMap<string, Found>,
): CompiledWorkflow {
  const others = [...started].map(([ref, found]) => ({ ref, hash: hashOf(found.file), found }));
  return {
    source: sourceText(file),
    hash: hashOf(file),
    plan,
    version: definition.version,
    pins: {
      library: catalog.library ?? {},
      lenses: lensSpecs,
      workflows: Object.fromEntries(
        others.map(({ ref, hash: own, found }) => [ref, { version: found.version ?? 1, hash: own }]),
      ),
      team: null,
    },
    texts: new Map(others.map(({ hash: own, found }) => [own, sourceText(found.file)])),
  };
}

export function sourceText({ bytes }: SourceFile): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function hashOf({ bytes }: SourceFile): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

interface Checked {
  readonly plan: Plan;
  readonly definition: Definition;
  readonly warnings: readonly Problem[];
}

function check(io: Io, file: SourceFile, catalog: Catalog): Checked {
  const { plan, definition, problems, warnings } = checkSource(file.bytes, catalog);
  if (plan === null || definition === null) {
    printProblems(io, file, problems);
    throw new Refusal(`${printable(file.name)} is not valid, nothing was started`);
  }
  return { plan, definition, warnings };
}

function refuseMissing(file: SourceFile, definition: Definition, catalog: Catalog): void {
  const missing = missingForRun(definition, catalog);
  if (missing.length === 0) return;
  const how = missing.some((name) => name.startsWith("workflow"))
    ? "workflows are looked for by their name in the folder of the file"
    : "give the file that holds them with --library FILE";
  throw new Refusal(`${printable(file.name)} cannot run without ${printable(missing.join(", "))}: ${how}`);
}

function startsOthers(plan: Plan): boolean {
  return startedBy(plan).length > 0;
}

/** Returns the workflows that the nodes and their agents may start, including those in blocks. */
function startedBy(plan: Plan): readonly WorkflowRef[] {
  return [plan, ...plan.blocks.values()].flatMap(({ nodes }) =>
    nodes.flatMap(({ child, request }) => [
      ...(child !== null && "workflow" in child ? [child.workflow] : []),
      ...(request.stepTools ?? []).flatMap((tool) => (tool.kind === "workflow" ? [tool.workflow] : [])),
    ]),
  );
}

/** Chooses among several files with one name: the requested version, else the highest. */
function choose(found: readonly Found[], ref: WorkflowRef): Found | undefined {
  const named = found.filter(({ name }) => name === ref.name);
  if (ref.version !== null) return named.find(({ version }) => version === ref.version);
  return named.toSorted((left, right) => (right.version ?? 0) - (left.version ?? 0))[0];
}

function demand(found: readonly Found[], ref: WorkflowRef, by: Found): Found {
  const chosen = choose(found, ref);
  if (chosen !== undefined) return chosen;
  const wanted = ref.version === null ? ref.name : `${ref.name}@${ref.version}`;
  throw new Refusal(`${printable(by.file.name)} needs the workflow ${printable(wanted)}, which is not in its folder`);
}

/** Returns every file of the folder that has a workflow name. Files that cannot be read are ignored. */
async function workflowsBeside(io: Io, file: SourceFile): Promise<readonly Found[]> {
  const inCode = (file.code?.children ?? []).flatMap(filesOfCode);
  const folder = dirname(file.path);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.some((extension) => entry.name.endsWith(extension)))
    .map((entry) => entry.name)
    .sort(compareCodeUnits);
  const found: Found[] = inCode.map((child) => ({ file: child, name: child.code?.workflow ?? "", version: null }));
  for (const name of names) {
    const beside = await readSourceFile(io, relative(io.cwd, join(folder, name))).catch(() => null);
    const value = beside === null ? undefined : readSource(beside.bytes).tree?.value;
    if (beside === null || !isJsonObject(value) || typeof value["name"] !== "string") continue;
    const version = value["version"];
    found.push({ file: beside, name: value["name"], version: typeof version === "number" ? version : null });
  }
  return found;
}

/** Returns a workflow in code and the workflows it starts, recursively. */
function filesOfCode(file: SourceFile): readonly SourceFile[] {
  return [file, ...(file.code?.children ?? []).flatMap(filesOfCode)];
}
