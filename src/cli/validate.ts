import type { Json, Problem } from "../core/base/index.ts";
import { loadCatalog } from "./catalog.ts";
import { checkFile, type CheckedFile } from "./checked-file.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { githubAnnotation, placeInCode, printModuleError, printProblems, problemJson } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { createPaint, printable } from "./terminal-text.ts";
import { readWorkflowFiles } from "./workflow-file.ts";
import { ModuleError } from "./workflow-module.ts";

export interface ValidateOptions {
  readonly json?: boolean;
  readonly format: "human" | "github" | "json";
  readonly library?: string;
  readonly quiet?: boolean;
}

/** Checks every file and reports all problems, even when one of the files cannot be read. */
export async function validate(io: Io, names: readonly string[], options: ValidateOptions): Promise<number> {
  const catalog = await loadCatalog(io, options.library);
  const results: CheckedFile[] = [];
  const broken: BrokenModule[] = [];
  let unreadable = 0;
  for (const name of names) {
    try {
      for (const file of await readWorkflowFiles(io, name)) results.push(await checkFile(file, catalog));
    } catch (thrown) {
      unreadable += 1;
      if (thrown instanceof ModuleError) broken.push({ name, error: thrown });
      else if (thrown instanceof Refusal) io.err.write(`sluice: ${thrown.message}\n`);
      else throw thrown;
    }
  }
  const format = options.json === true ? "json" : options.format;
  if (format === "json") {
    io.out.write(`${JSON.stringify({ files: [...results.map(fileJson), ...broken.map(brokenJson)] }, null, 2)}\n`);
  } else {
    for (const { error } of broken) printModuleError(io, error);
    if (format === "github") for (const result of results) printAnnotations(io, result);
    else printForPeople(io, results, options.quiet === true);
  }
  const isValid = unreadable === 0 && results.every(({ problems }) => problems.length === 0);
  return isValid ? EXIT.fine : EXIT.badUsage;
}

/** A module that could not be loaded, or holds no workflow. */
interface BrokenModule {
  readonly name: string;
  readonly error: ModuleError;
}

function brokenJson({ name, error: { code, message, path, place, hint } }: BrokenModule): object {
  const { line, column } = place;
  return { file: name, ok: false, problems: [{ code, message, path, line, column, hint }], warnings: [] };
}

function fileJson({ file, definitionHash, problems, warnings }: CheckedFile): object {
  const toJson = (problem: Problem): Json => problemJson({ ...problem, ...placeInCode(file, problem) });
  return {
    file: file.name,
    ...(file.code === undefined ? {} : { workflow: file.code.workflow, origin: "code" }),
    ok: problems.length === 0,
    ...(definitionHash === undefined ? {} : { definitionHash }),
    problems: problems.map(toJson),
    warnings: warnings.map(toJson),
  };
}

function printAnnotations(io: Io, { file, problems, warnings }: CheckedFile): void {
  for (const problem of problems) io.out.write(githubAnnotation(file.name, problem, "error"));
  for (const warning of warnings) io.out.write(githubAnnotation(file.name, warning, "warning"));
}

function printForPeople(io: Io, results: readonly CheckedFile[], isQuiet: boolean): void {
  const paint = createPaint(io.out, io.env);
  let problemCount = 0;
  let warningCount = 0;
  for (const { file, summary, problems, warnings } of results) {
    problemCount += problems.length;
    warningCount += warnings.length;
    printProblems(io, file, problems);
    if (isQuiet) continue;
    printProblems(io, file, warnings, "warning");
    if (problems.length > 0) continue;
    io.out.write(`${printable(file.name)}: ${paint("green", "ok")} (${printable(summary)})\n`);
  }
  if (isQuiet || (results.length < 2 && problemCount + warningCount === 0)) return;
  const counts = [
    formatCount(results.length, "file"),
    formatCount(problemCount, "problem"),
    formatCount(warningCount, "warning"),
  ];
  io.err.write(`${counts.join(", ")}\n`);
}
