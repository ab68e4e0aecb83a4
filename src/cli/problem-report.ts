import { readFileSync } from "node:fs";
import type { Json, Place, Problem } from "../core/base/index.ts";
import { PROBLEM_DOCS } from "../core/definition/index.ts";
import type { Io } from "./io.ts";
import type { SourceFile } from "./source-file.ts";
import { blanked, createPaint, printable } from "./terminal-text.ts";
import { type ModuleError, shownPath } from "./workflow-module.ts";

const FRAME_COLUMNS = 100;

export type Severity = "error" | "warning";

/** Prints `file:line:column: code: message`, the line with a mark under the place, and advice. */
export function printProblems(
  io: Io,
  file: Pick<SourceFile, "name" | "bytes" | "code">,
  problems: readonly Problem[],
  severity: Severity = "error",
): void {
  if (problems.length === 0) return;
  const text = new TextDecoder().decode(file.bytes);
  for (const problem of problems) {
    const written = placeInCode(file, problem);
    if (written === undefined) printFinding(io, file.name, text, { ...problem, hint: hintOf(problem) }, severity);
    else {
      const { file: path, ...place } = written;
      const message = `${problem.path}: ${problem.message}`;
      const finding = { code: problem.code, message, hint: hintOf(problem), ...place };
      printFinding(io, shownPath(io.cwd, path), textOf(path), finding, severity);
    }
  }
}

/** Prints the reason why a module produced no workflow, in the same form. */
export function printModuleError(io: Io, { code, message, hint, place: { file, ...place } }: ModuleError): void {
  printFinding(io, shownPath(io.cwd, file), textOf(file), { code, message, hint, ...place }, "error");
}

/** Returns the place in code of the part of a definition with the problem. Undefined when the definition is a file. */
export function placeInCode(
  { path: whole, code }: Pick<SourceFile, "code"> & { readonly path?: string },
  { path }: Problem,
) {
  if (code === undefined) return undefined;
  // The longest path that has a place is the innermost step.
  const found = Object.keys(code.places)
    .filter((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`))
    .toSorted((left, right) => right.length - left.length)[0];
  return (found === undefined ? undefined : code.places[found]) ?? { file: whole ?? "", line: 1, column: 1 };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

interface Finding extends Place {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

function printFinding(io: Io, name: string, text: string, finding: Finding, severity: Severity): void {
  const paint = createPaint(io.err, io.env);
  const lines = text.split(/\r\n|\n|\r/);
  const place = `${printable(name)}:${finding.line}:${finding.column}:`;
  const code = paint(severity === "error" ? "red" : "yellow", finding.code);
  const label = severity === "error" ? "" : "warning: ";
  io.err.write(`${place} ${label}${code}: ${printable(finding.message)}\n`);
  io.err.write(
    frameOf(lines[finding.line - 1], finding)
      .map((line) => `${paint("gray", line)}\n`)
      .join(""),
  );
  io.err.write(`  ${paint("cyan", "hint:")} ${printable(finding.hint)}\n`);
}

/** Returns the line as written. A very long line is cut to the text around the place. */
function frameOf(line: string | undefined, { line: number, column }: Place): readonly string[] {
  if (line === undefined || line.trim() === "") return [];
  const start = column > FRAME_COLUMNS - 20 ? column - FRAME_COLUMNS / 2 : 0;
  const shown = blanked(line.slice(start, start + FRAME_COLUMNS));
  const margin = `  ${number} | `;
  return [margin + shown, `${" ".repeat(margin.length - 2)}| ${" ".repeat(Math.max(0, column - 1 - start))}^`];
}

/** Returns the checker's own hint for a problem, else the general advice for its code. */
function hintOf(problem: Problem): string {
  return problem.hint ?? PROBLEM_DOCS[problem.code].fix;
}

export function problemJson(problem: Problem): Json {
  const { code, message, path, line, column } = problem;
  return { code, message, path, line, column, hint: hintOf(problem) };
}

/** Formats a problem as an annotation that GitHub's runners read from the log. */
export function githubAnnotation(file: string, problem: Problem, severity: Severity): string {
  const { line, column, code, message } = problem;
  return githubLine(severity, { file, line, column, title: code }, `${message} ${hintOf(problem)}`);
}

interface AnnotatedPlace extends Place {
  readonly file: string;
  readonly title: string;
}

export function githubLine(severity: Severity, { file, line, column, title }: AnnotatedPlace, text: string): string {
  const place = `file=${property(file)},line=${line},col=${column},title=${property(title)}`;
  return `::${severity} ${place}::${data(text)}\n`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
