import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { runCase } from "../../cases/index.ts";
import type { Run } from "../../client/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import {
  compareSnapshots,
  readCases,
  readRecording,
  type RecordedRun,
  recordRun,
  snapshotOf,
} from "../../core/cases/index.ts";
import { checkArgs } from "../../core/definition/index.ts";
import type { RunEvent } from "../../core/event/index.ts";
import { hideInJson } from "../../core/redaction/index.ts";
import { printYaml, readSource } from "../../core/text/index.ts";
import { eventOfFrame } from "../../core/view/index.ts";
import { EMPTY_SCRIPT } from "../../simulation/index.ts";
import { Api } from "../api.ts";
import { loadLibrary } from "../catalog.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { Refusal } from "../refusal.ts";
import { demandServer, type LinkOptions } from "../server-link.ts";
import { printable } from "../terminal-text.ts";
import { loadWorkflowModule, ModuleError, type WorkflowModule } from "../workflow-module.ts";
import { openWorkspace } from "../workspace.ts";
import { RECORDINGS } from "./load-case-file.ts";

/** Maximum number of runs in one recording. */
const FAMILY_MAX = 1_000;
const PAGE = 1_000;

/** Makes a case from a run: writes a recording next to the cases, and adds a case that repeats it. */
export async function record(io: Io, runId: string, names: readonly string[], options: LinkOptions): Promise<number> {
  const api = new Api(demandServer(io, options));
  const run = await api.getRun(runId);
  const source = await sourceOf(api, run);
  const document = recordRun(await familyOf(api, runId));
  const target = await chooseTarget(io, run, source, names);
  const folder = dirname(resolve(io.cwd, target.file));
  const snapshot = await repeat(io, { document, source, folder, run });
  const path = join(folder, RECORDINGS, `${runId}.yaml`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, printYaml({ ...document, snapshot }));
  io.out.write(`${relative(io.cwd, path)}\n`);
  await addCase(io, target, runId);
  return EXIT.fine;
}

async function sourceOf(api: Api, { id, workflow, version }: Run): Promise<string> {
  if (version === null) throw new Refusal(`${id} ran a workflow that is not saved: there is nothing to repeat it with`);
  return (await api.getVersion(workflow, version)).source;
}

/** Returns the logs of the run and of the runs that it started, with the run itself first. */
async function familyOf(api: Api, runId: string): Promise<readonly RecordedRun[]> {
  const family: RecordedRun[] = [];
  const toRead = [runId];
  for (const next of toRead) {
    if (family.length >= FAMILY_MAX) throw new Refusal(`${runId} has started more than ${FAMILY_MAX} runs`);
    const log = await logOf(api, next);
    family.push({ runId: next, log });
    for (const { type, payload } of log) {
      if (type === "child.started" || type === "run.finally") toRead.push(payload.childRunId);
    }
  }
  return family;
}

async function logOf(api: Api, runId: string): Promise<readonly RunEvent[]> {
  const log: RunEvent[] = [];
  for (;;) {
    const { data } = await api.listEvents(runId, { afterEventId: log.at(-1)?.eventId ?? 0, limit: PAGE });
    for (const frame of data) {
      const event = eventOfFrame(frame);
      if (event !== null) log.push(event);
    }
    if (data.length < PAGE) return log;
  }
}

interface Repeated {
  readonly document: JsonObject;
  readonly source: string;
  readonly folder: string;
  readonly run: Run;
}

/** Runs the recording once with the original workflow text. Returns the snapshot, and prints where its end differs. */
async function repeat(io: Io, { document, source, folder, run }: Repeated): Promise<JsonObject> {
  const { recording, problems } = readRecording(JSON.stringify({ ...document, snapshot: {} }));
  if (recording === null) throw new Refusal(`the run cannot be recorded: ${problems[0]?.message ?? ""}`);
  const file = { name: run.workflow, path: join(folder, run.workflow), bytes: new TextEncoder().encode(source) };
  const { workflow } = await openWorkspace(io, file, await loadLibrary(io, undefined));
  const { args, answers, people, events, at } = recording.case;
  const checked = checkArgs(workflow.plan.args, args);
  if (!checked.ok) throw new Refusal(`the args of the run do not fit: ${checked.failure[0]?.message ?? ""}`);
  const script = answers.kind === "script" ? answers.script : EMPTY_SCRIPT;
  const tested = { workflow, knownPlans: new Map(), environment: () => Promise.resolve(null) };
  const { outcome } = await runCase(tested, { args: checked.value, script, people, events, at }, () => true);
  const outputs = run.outputs ?? null;
  const real: JsonObject = { status: run.status, ...(outputs === null ? {} : { outputs: hideInJson(outputs) }) };
  const own: JsonObject = { status: outcome.status, ...(outputs === null ? {} : { outputs: outcome.outputs }) };
  for (const { path, expected, actual } of compareSnapshots(real, own, [])) {
    io.err.write(
      `warning: ${printable(path.join("."))} was ${printable(expected)}, the case has ${printable(actual)}\n`,
    );
  }
  return hideInJson(snapshotOf(outcome)) as JsonObject;
}

interface Target {
  readonly file: string;
  /** Path relative to the folder of the file. */
  readonly workflow: string;
}

/** Returns the named file of cases, else the one next to the workflow. */
async function chooseTarget(io: Io, run: Run, source: string, names: readonly string[]): Promise<Target> {
  const cases = names.find((name) => /\.cases\.(?:yaml|yml)$/.test(name));
  const named = names.find((name) => name !== cases) ?? (await findWorkflow(io, run.workflow));
  const workflow = named ?? `${run.workflow}.lobsterX`;
  const file = cases ?? join(dirname(workflow), `${run.workflow}.cases.yaml`);
  if (named === undefined && !existsSync(resolve(io.cwd, file))) {
    await writeFile(resolve(io.cwd, workflow), source, { flag: "wx" });
    io.out.write(`${workflow}\n`);
  }
  const from = relative(dirname(resolve(io.cwd, file)), resolve(io.cwd, workflow));
  return { file, workflow: from.startsWith(".") ? from : `./${from}` };
}

const PLACES = [".", "workflows", "src"];

/** Finds the local file with the workflow, or the code that makes it, so that the case fails when that file changes. */
async function findWorkflow(io: Io, wanted: string): Promise<string | undefined> {
  const found: string[] = [];
  for (const place of PLACES) {
    const entries = await readdir(resolve(io.cwd, place)).catch(() => []);
    found.push(...entries.map((entry) => join(place, entry)));
  }
  for (const path of found.filter((name) => /\.(?:lobsterX|yaml|yml|json)$/.test(name))) {
    const { tree } = readSource(await readFile(resolve(io.cwd, path)).catch(() => ""));
    const value: Json = tree?.value ?? null;
    if (isJsonObject(value) && value["name"] === wanted && !Object.hasOwn(value, "kind")) return path;
  }
  for (const path of found.filter((name) => /\.workflow\.[cm]?[jt]s$/.test(name))) {
    // Loading a module starts a process, so only files that contain the name are loaded.
    if (!(await readFile(resolve(io.cwd, path), "utf8")).includes(wanted)) continue;
    const workflow = await workflowIn(io, path, wanted);
    if (workflow !== undefined) return workflow;
  }
  return undefined;
}

/** Returns how a case names the workflow of a module. Undefined when it is not there, or the module fails to load. */
async function workflowIn(io: Io, path: string, wanted: string): Promise<string | undefined> {
  const options = { env: io.env, onOutput: (text: string) => io.err.write(text) };
  const { workflows } = await loadWorkflowModule(resolve(io.cwd, path), options).catch(noWorkflows);
  const index = workflows.findIndex(({ name }) => name === wanted);
  if (index === -1) return undefined;
  const isAlone = workflows.length === 1 || workflows[index]?.exportNames.includes("default") === true;
  return isAlone ? path : `${path}#${wanted}`;
}

function noWorkflows(thrown: unknown): Pick<WorkflowModule, "workflows"> {
  if (thrown instanceof ModuleError) return { workflows: [] };
  throw thrown;
}

/** Appends the case at the end of the list, so that the rest of the file stays unchanged. */
async function addCase(io: Io, { file, workflow }: Target, runId: string): Promise<void> {
  const path = resolve(io.cwd, file);
  const before = await readFile(path, "utf8").catch(() => null);
  const entry = `  - name: as ${runId}\n    recorded: ${runId}\n`;
  if (before === null) {
    await writeFile(path, `workflow: ${JSON.stringify(workflow)}\ncases:\n${entry}`);
    io.out.write(`${file}\n`);
    return;
  }
  const known = readCases(before).file?.cases ?? [];
  if (known.some(({ answers }) => answers.kind === "recorded" && answers.run === runId)) return;
  const after = `${before.trimEnd()}\n${entry}`;
  const read = readCases(after).file?.cases ?? [];
  if (read.length === known.length + 1) {
    await writeFile(path, after);
    io.out.write(`${file}\n`);
  } else {
    io.err.write(`sluice: add this to the cases of ${printable(file)}:\n${entry}`);
  }
}
