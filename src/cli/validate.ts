import { loadCatalog } from "./catalog.ts";
import { checkFile, type CheckedFile } from "./checked-file.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { githubAnnotation, printProblems, problemJson } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { createPaint, printable } from "./terminal-text.ts";

export interface ValidateOptions {
  readonly json?: boolean;
  readonly format: "human" | "github" | "json";
  readonly library?: string;
  readonly quiet?: boolean;
}

/** Checks every file and reports all of it, also when one of them cannot be read. */
export async function validate(io: Io, names: readonly string[], options: ValidateOptions): Promise<number> {
  const catalog = await loadCatalog(io, options.library);
  const results: CheckedFile[] = [];
  let unreadable = 0;
  for (const name of names) {
    try {
      const file = await readSourceFile(io, name);
      results.push(await checkFile(file, catalog));
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      io.err.write(`sluice: ${refusal.message}\n`);
      unreadable += 1;
    }
  }
  const format = options.json === true ? "json" : options.format;
  if (format === "json") io.out.write(`${JSON.stringify({ files: results.map(fileJson) }, null, 2)}\n`);
  else if (format === "github") for (const result of results) printAnnotations(io, result);
  else printForPeople(io, results, options.quiet === true);
  const isValid = unreadable === 0 && results.every(({ problems }) => problems.length === 0);
  return isValid ? EXIT.fine : EXIT.badUsage;
}

function fileJson({ file, problems, warnings }: CheckedFile): object {
  return {
    file: file.name,
    ok: problems.length === 0,
    problems: problems.map(problemJson),
    warnings: warnings.map(problemJson),
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
