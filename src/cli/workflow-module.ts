/** Loads modules that contain workflows. The TypeScript runs in a separate process with a time limit. */
import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { type JsonObject, LIMITS, type Place, sameJson } from "../core/base/index.ts";
import { printYaml, readSource } from "../core/text/index.ts";
import { explainFailure, type HostFailure } from "./module-failure.ts";

export interface WorkflowModule {
  /** Every workflow that the module exports, the default export first. */
  readonly workflows: readonly LoadedWorkflow[];
  /** Names of all exports of the module. */
  readonly exports: readonly string[];
}

export interface LoadedWorkflow {
  /** Empty for a workflow that only another one starts. */
  readonly exportNames: readonly string[];
  readonly name: string;
  readonly definition: JsonObject;
  /** The definition as the text of a workflow file. */
  readonly source: string;
  /** Places in the code, by the path of a part of the definition such as `steps[0]`. */
  readonly places: Readonly<Record<string, Place & { readonly file: string }>>;
  /** The workflows that this workflow starts, if they were passed as objects and not as names. */
  readonly children: readonly LoadedWorkflow[];
}

export const MODULE_CODES = [
  "module_failed",
  "module_timeout",
  "module_unreadable",
  "missing_import",
  "no_workflow",
  "schema_unsupported",
  "bad_reference",
  "bad_value",
  "missing_id",
  "outside_workflow",
  "wrong_type",
] as const;
export type ModuleCode = (typeof MODULE_CODES)[number];

/** Reason why a module produced no workflow. */
export class ModuleError extends Error {
  override readonly name = "ModuleError";
  readonly code: ModuleCode;
  readonly place: Place & { readonly file: string };
  readonly path: string;
  readonly hint: string;

  constructor(
    code: ModuleCode,
    message: string,
    { place, path = "", hint }: { readonly place: ModuleError["place"]; readonly path?: string; readonly hint: string },
  ) {
    super(message);
    this.code = code;
    this.place = place;
    this.path = path;
    this.hint = hint;
  }
}

export interface LoadOptions {
  /** Receives the output that the module prints. */
  readonly onOutput?: (text: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** Longest time a module may take to load. */
const LOAD_MS_MAX = 60_000;
const EXTENSION = /\.[cm]?[jt]sx?$/;

/** Checks whether a file name has an extension of a code file. */
export function isModuleFile(name: string): boolean {
  return EXTENSION.test(name);
}

/** Loads a module and returns its workflows. Throws `ModuleError` when there are none. */
export async function loadWorkflowModule(path: string, options: LoadOptions = {}): Promise<WorkflowModule> {
  const file = resolve(path);
  const answer = await ask(file, options);
  if (!answer.ok) throw errorOf(file, answer.failure);
  const workflows = answer.workflows.map(loaded).toSorted((left, right) => rank(left) - rank(right));
  if (workflows.length > 0) return { workflows, exports: answer.exports };
  const found = answer.exports.length === 0 ? "exports nothing" : `exports only ${answer.exports.join(", ")}`;
  throw new ModuleError("no_workflow", `The module ${found}, and no workflow.`, {
    place: { file, line: 1, column: 1 },
    hint: 'Write export default workflow("name", { … }, ({ args }) => { … }).',
  });
}

/** Cases written in code. */
export interface CasesModule {
  /** The content of a file of cases. */
  readonly document: JsonObject;
  /** The tested workflow with those that it starts. Null when the cases name a file. */
  readonly workflow: LoadedWorkflow | null;
}

/** Loads a module and returns the cases it exports. */
export async function loadCasesModule(path: string, options: LoadOptions = {}): Promise<CasesModule> {
  const file = resolve(path);
  const answer = await ask(file, options);
  if (!answer.ok) throw errorOf(file, answer.failure);
  const [cases, another] = answer.cases;
  if (cases !== undefined && another === undefined) {
    return { document: cases.document, workflow: cases.workflow === null ? null : loaded(cases.workflow) };
  }
  const found = cases === undefined ? "exports no cases" : "exports cases more than once";
  throw new ModuleError("no_workflow", `The module ${found}.`, {
    place: { file, line: 1, column: 1 },
    hint: 'Write export default cases(workflow, [{ name: "…", … }]), with cases from sluice/testing.',
  });
}

function rank({ exportNames }: LoadedWorkflow): number {
  return exportNames.includes("default") ? 0 : 1;
}

type Described = Omit<LoadedWorkflow, "source" | "children"> & { readonly children: readonly Described[] };
type Answer =
  | {
      readonly ok: true;
      readonly exports: readonly string[];
      readonly workflows: readonly Described[];
      readonly cases: readonly (Omit<CasesModule, "workflow"> & { readonly workflow: Described | null })[];
    }
  | { readonly ok: false; readonly failure: HostFailure };

function loaded(described: Described): LoadedWorkflow {
  return { ...described, source: sourceOf(described.definition), children: described.children.map(loaded) };
}

/** Writes a definition as YAML, which people read in the console, or as JSON if YAML would not give the same value. */
function sourceOf(definition: JsonObject): string {
  const yaml = printYaml(definition);
  const isSame = yaml.length < LIMITS.yamlBytesMax / 4 && sameJson(readSource(yaml).tree?.value ?? null, definition);
  return isSame ? yaml : `${JSON.stringify(definition, null, 2)}\n`;
}

function ask(file: string, { onOutput, env = process.env, timeoutMs = LOAD_MS_MAX }: LoadOptions): Promise<Answer> {
  const child = fork(new URL("./module-host.mjs", import.meta.url), [file], {
    cwd: dirname(file),
    env: { ...env },
    execArgv: ["--import", createRequire(import.meta.url).resolve("tsx")],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: "json",
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed = `${printed}${text}`.slice(-PRINTED_MAX);
      onOutput?.(text);
    });
  }
  return new Promise((settle, refuse) => {
    const place = { file, line: 1, column: 1 };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      const message = `The module did not load within ${timeoutMs / 1_000} s.`;
      const hint = "Look for a loop without an end, or for an await that nothing answers.";
      refuse(new ModuleError("module_timeout", message, { place, hint }));
    }, timeoutMs);
    child.once("message", (message) => settle(message as Answer));
    child.once("error", (error) => refuse(error));
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code === UNANSWERED) {
        const message = "An await of the module is never answered.";
        return refuse(new ModuleError("module_failed", message, { place, hint: "A workflow needs no await." }));
      }
      const last = printed.trim().split("\n").at(-1) ?? "";
      const message = `The process that loads the module ended with ${code ?? "a signal"}${last === "" ? "" : `: ${last}`}.`;
      refuse(new ModuleError("module_failed", message, { place, hint: "A module of workflows may not exit." }));
    });
  });
}

const PRINTED_MAX = 4_000;
/** Exit code of Node when it ends with an unsettled promise, so no answer can come. */
const UNANSWERED = 13;

function errorOf(file: string, failure: HostFailure): ModuleError {
  const { code, message, ...about } = explainFailure(file, failure);
  return new ModuleError(code, message, about);
}

/** Returns a path relative to the working folder, or the full path for a file outside it. */
export function shownPath(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
