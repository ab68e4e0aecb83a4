/** Reads files that contain workflows: definitions as text, or modules that export them. */
import { resolve } from "node:path";
import type { Io } from "./io.ts";
import { printModuleError } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile, type SourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";
import { isModuleFile, type LoadedWorkflow, loadWorkflowModule, ModuleError } from "./workflow-module.ts";

/** Matches a module with an optional workflow name, such as `triage.workflow.ts#triage`. */
const NAMED = /^(.*\.[cm]?[jt]sx?)(?:#(.+))?$/s;

/** Returns every workflow of a file. A file that is not a module is one workflow. */
export async function readWorkflowFiles(io: Io, name: string): Promise<readonly SourceFile[]> {
  const [, path = name, wanted] = NAMED.exec(name) ?? [];
  if (!isModuleFile(path)) return [await readSourceFile(io, name)];
  const file = resolve(io.cwd, path);
  const { workflows } = await loadWorkflowModule(file, { env: io.env, onOutput: (text) => io.err.write(text) });
  const all = workflows.map((workflow) => sourceFileOf(path, file, workflow));
  if (wanted === undefined) return all;
  const chosen = workflows.flatMap(({ exportNames, name: own }, index) =>
    own === wanted || exportNames.includes(wanted) ? [all[index] as SourceFile] : [],
  );
  if (chosen.length > 0) return chosen;
  throw new Refusal(`${printable(path)} has no workflow ${printable(wanted)}: it has ${listed(workflows)}`);
}

/** Returns the single workflow meant by the name: the named one, the default export, or the only one. */
export async function readWorkflowFile(io: Io, name: string): Promise<SourceFile> {
  const files = await readWorkflowFiles(io, name).catch((thrown: unknown) => refuseModule(io, thrown));
  const [first] = files;
  if (first === undefined) throw new Refusal(`${printable(name)} holds no workflow`);
  const isDefault = first.code === undefined || first.code.isDefault;
  if (files.length === 1 || isDefault) return first;
  const names = files.map(({ code }) => code?.workflow ?? "").join(", ");
  throw new Refusal(
    `${printable(name)} has several workflows (${printable(names)}): name one, as ${printable(name)}#${printable(first.code?.workflow ?? "")}`,
  );
}

/** Prints why a module could not be loaded, with its place. */
export function refuseModule(io: Io, thrown: unknown): never {
  if (!(thrown instanceof ModuleError)) throw thrown;
  printModuleError(io, thrown);
  throw new Refusal("the module gave no workflow, nothing was done");
}

/** Returns a workflow in code in the form of a file. */
export function sourceFileOf(name: string, path: string, workflow: LoadedWorkflow): SourceFile {
  const { source, places, children, exportNames } = workflow;
  return {
    name,
    path,
    bytes: new TextEncoder().encode(source),
    code: {
      workflow: workflow.name,
      isDefault: exportNames.includes("default"),
      places,
      children: children.map((child) => sourceFileOf(name, `${path}#${child.name}`, child)),
    },
  };
}

function listed(workflows: readonly LoadedWorkflow[]): string {
  return workflows.map(({ name }) => name).join(", ");
}
