import { dirname, join, relative, resolve } from "node:path";
import { createVirtualClock } from "../../clock/index.ts";
import type { ReadyCase, TestedWorkflow } from "../../cases/index.ts";
import type { JsonObject, Problem } from "../../core/base/index.ts";
import {
  type CaseFile,
  nameProblems,
  readCases,
  readCaseTree,
  readRecording,
  type TestCase,
} from "../../core/cases/index.ts";
import { checkArgs } from "../../core/definition/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { SourceTree } from "../../core/text/index.ts";
import { buildEnvironment, type BuiltEnvironment } from "../../simulation/index.ts";
import { loadLibrary } from "../catalog.ts";
import type { Io } from "../io.ts";
import { readManifests } from "../manifest.ts";
import { printProblems } from "../problem-report.ts";
import { Refusal } from "../refusal.ts";
import { loadScript } from "../simulation.ts";
import { readSourceFile, type SourceFile } from "../source-file.ts";
import { printable } from "../terminal-text.ts";
import { readWorkflowFile, refuseModule, sourceFileOf } from "../workflow-file.ts";
import { isModuleFile, type LoadedWorkflow, loadCasesModule } from "../workflow-module.ts";
import { openWorkspace } from "../workspace.ts";
import { codeTree } from "./code-tree.ts";

/** A file of cases with all the data that it refers to. */
export interface LoadedCases {
  /** The name of the file as the person wrote it. */
  readonly name: string;
  readonly path: string;
  readonly file: CaseFile;
  readonly tested: TestedWorkflow;
  readonly plan: Plan;
  readonly cases: readonly LoadedCase[];
  /** Folders to watch. A change in them runs the cases again. */
  readonly folders: readonly string[];
}

export interface LoadedCase {
  readonly written: TestCase;
  readonly ready: ReadyCase;
  /** The recording and its snapshot. Null when the case has no recording. */
  readonly recorded: { readonly path: string; readonly snapshot: JsonObject } | null;
}

/** Folder for recordings, next to the file of cases. */
export const RECORDINGS = "recordings";

/** Reads and checks a file before any of its cases runs. Prints its problems and throws a refusal. */
export async function loadCaseFile(
  io: Io,
  name: string,
  registry: readonly string[] | undefined,
): Promise<LoadedCases> {
  const { source, code, tree } = await readCaseSource(io, name);
  const { file, problems } = tree === null ? readCases(source.bytes) : readCaseTree(tree);
  refuse(io, source, problems);
  if (file === null) throw new Refusal(invalid(name));
  const folder = dirname(source.path);
  const near = (path: string): string => relative(io.cwd, resolve(folder, path)) || ".";
  const library = await loadLibrary(io, file.library === null ? undefined : near(file.library));
  const workspace = await openWorkspace(io, await workflowOf(io, file, { source, code, near }), library);
  const { workflow, plans } = workspace;
  refuse(io, source, nameProblems(file, workflow.plan));
  const manifests = registry ?? (file.registry.length === 0 ? undefined : file.registry.map(near));
  const tested = { workflow, knownPlans: new Map(), environment: environmentsOf(io, manifests, plans) };
  // Read before any case, so that a mistake in the manifests is reported for the whole file.
  if (manifests !== undefined) await tested.environment(file.cases[0]?.at ?? 0);
  const cases: LoadedCase[] = [];
  for (const one of file.cases)
    cases.push(await readyCase(io, one, { source, near, plans, plan: workflow.plan, tree: file.tree }));
  const folders = [
    folder,
    dirname(resolve(folder, pathOf(file))),
    ...(manifests ?? []).map((path) => resolve(io.cwd, path)),
  ];
  return { name, path: source.path, file, tested, plan: workflow.plan, cases, folders: [...new Set(folders)] };
}

async function readCaseSource(io: Io, name: string): Promise<CaseSource> {
  const source = await readSourceFile(io, name);
  if (!isModuleFile(name)) return { source, code: null, tree: null };
  const options = { env: io.env, onOutput: (text: string) => io.err.write(text) };
  const { document, workflow } = await loadCasesModule(source.path, options).catch((thrown: unknown) =>
    refuseModule(io, thrown),
  );
  return { source, code: workflow, tree: codeTree(new TextDecoder().decode(source.bytes), document) };
}

interface CaseSource {
  readonly source: SourceFile;
  /** The content that code has made. Null for a file that holds it itself. */
  readonly tree: SourceTree | null;
  /** The workflow, when the cases were given one in code. */
  readonly code: LoadedWorkflow | null;
}

function pathOf({ workflow }: CaseFile): string {
  return typeof workflow === "string" ? workflow : ".";
}

/** Returns the source of the workflow. Code may contain a definition in place of a path. */
async function workflowOf(
  io: Io,
  { workflow, tree }: CaseFile,
  { source, code, near }: Omit<CaseSource, "tree"> & Pick<Around, "near">,
): Promise<SourceFile> {
  if (code !== null) return sourceFileOf(source.name, source.path, code);
  if (typeof workflow !== "string") {
    return { name: source.name, path: source.path, bytes: new TextEncoder().encode(JSON.stringify(workflow)) };
  }
  const path = near(workflow);
  return readWorkflowFile(io, path).catch((thrown: unknown) => {
    if (!(thrown instanceof Refusal)) throw thrown;
    const hint = "Write the path of a workflow, from the folder of this file.";
    const place = tree.placeOf(["workflow"]);
    refuse(io, source, [{ code: "unknown_workflow", message: `${thrown.message}.`, path: "workflow", ...place, hint }]);
    throw thrown;
  });
}

interface Around extends Pick<CaseFile, "tree"> {
  readonly source: SourceFile;
  readonly near: (path: string) => string;
  readonly plans: readonly Plan[];
  readonly plan: Plan;
}

async function readyCase(io: Io, written: TestCase, around: Around): Promise<LoadedCase> {
  const { answers, isWritten } = written;
  if (answers.kind === "recorded") {
    const { path, recording } = await loadRecording(io, written, answers.run, around);
    const { case: kept, snapshot } = recording;
    const ready: ReadyCase = {
      args: checkedArgs(around, isWritten.args ? written.args : kept.args, written.name),
      script: kept.answers.kind === "script" ? kept.answers.script : await loadScript(io, undefined, null),
      people: isWritten.people ? written.people : kept.people,
      events: isWritten.events ? written.events : kept.events,
      at: isWritten.at ? written.at : kept.at,
    };
    return { written, ready, recorded: { path, snapshot } };
  }
  const script =
    answers.kind === "script" ? answers.script : await loadScript(io, around.near(answers.path), around.plans);
  const { people, events, at } = written;
  const args = checkedArgs(around, written.args, written.name);
  return { written, ready: { args, script, people, events, at }, recorded: null };
}

/** Checks the args of a case. Written args were checked before, but those of a recording may no longer fit. */
function checkedArgs({ plan, source }: Around, args: JsonObject, name: string): JsonObject {
  const checked = checkArgs(plan.args, args);
  if (checked.ok) return checked.value;
  const [first] = checked.failure;
  const why = first === undefined ? "" : `: ${first.path}: ${first.code}: ${first.message}`;
  throw new Refusal(`${printable(source.name)}: the args of "${printable(name)}" do not fit${printable(why)}`);
}

/** Loads a recording by its path, or by the id of its run from the folder for recordings. */
async function loadRecording(io: Io, { path }: TestCase, run: string, { source, near, tree }: Around) {
  const name = near(/\.(?:yaml|yml|json)$/.test(run) ? run : join(RECORDINGS, `${run}.yaml`));
  const file = await readSourceFile(io, name).catch((thrown: unknown) => {
    if (!(thrown instanceof Refusal)) throw thrown;
    const hint = `Record it with sluice test --record ${run} ${source.name}.`;
    const place = tree.placeOf([...path, "recorded"]);
    const message = `There is no recording ${name}.`;
    refuse(io, source, [{ code: "unknown_recording", message, path: "recorded", ...place, hint }]);
    throw thrown;
  });
  const { recording, problems } = readRecording(file.bytes);
  refuse(io, file, problems);
  if (recording === null) throw new Refusal(invalid(name));
  return { path: file.path, recording };
}

/** Returns a function that builds the rules once for each start time of a case. */
function environmentsOf(
  io: Io,
  registry: readonly string[] | undefined,
  plans: readonly Plan[],
): TestedWorkflow["environment"] {
  if (registry === undefined) return () => Promise.resolve(null);
  const built = new Map<number, Promise<BuiltEnvironment>>();
  return (at) => {
    const known = built.get(at) ?? buildAt(io, registry, plans, at);
    built.set(at, known);
    return known;
  };
}

async function buildAt(
  io: Io,
  registry: readonly string[],
  plans: readonly Plan[],
  at: number,
): Promise<BuiltEnvironment> {
  const manifests = (await readManifests(io, registry)).map(({ manifest }) => manifest);
  const built = await buildEnvironment(manifests, plans, createVirtualClock(at));
  if (built.ok) return built.environment;
  for (const { kind, name, problems = [] } of built.applied) {
    for (const { code, message } of problems) {
      io.err.write(`${printable(kind)} ${printable(name)}: ${code}: ${printable(message)}\n`);
    }
  }
  throw new Refusal("what is to be registered is not valid");
}

function refuse(io: Io, file: SourceFile, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  printProblems(io, file, problems);
  throw new Refusal(invalid(file.name));
}

function invalid(name: string): string {
  return `${printable(name)} is not valid, none of its cases was run`;
}
