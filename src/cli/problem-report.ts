import type { Json, Place, Problem } from "../core/base/index.ts";
import { PROBLEM_DOCS } from "../core/definition/index.ts";
import type { Io } from "./io.ts";
import { blanked, createPaint, printable } from "./terminal-text.ts";

const FRAME_COLUMNS = 100;

export type Severity = "error" | "warning";

/** `file:line:column: code: message`, the line itself with a mark under the place, and what to do. */
export function printProblems(
  io: Io,
  file: { readonly name: string; readonly bytes: Uint8Array },
  problems: readonly Problem[],
  severity: Severity = "error",
): void {
  if (problems.length === 0) return;
  const paint = createPaint(io.err, io.env);
  const lines = new TextDecoder().decode(file.bytes).split(/\r\n|\n|\r/);
  for (const problem of problems) {
    const place = `${printable(file.name)}:${problem.line}:${problem.column}:`;
    const code = paint(severity === "error" ? "red" : "yellow", problem.code);
    const label = severity === "error" ? "" : "warning: ";
    io.err.write(`${place} ${label}${code}: ${printable(problem.message)}\n`);
    io.err.write(
      frameOf(lines[problem.line - 1], problem)
        .map((line) => `${paint("gray", line)}\n`)
        .join(""),
    );
    io.err.write(`  ${paint("cyan", "hint:")} ${printable(hintOf(problem))}\n`);
  }
}

/** The line as written; a very long one is cut to what stands around the place. */
function frameOf(line: string | undefined, { line: number, column }: Problem): readonly string[] {
  if (line === undefined || line.trim() === "") return [];
  const start = column > FRAME_COLUMNS - 20 ? column - FRAME_COLUMNS / 2 : 0;
  const shown = blanked(line.slice(start, start + FRAME_COLUMNS));
  const margin = `  ${number} | `;
  return [margin + shown, `${" ".repeat(margin.length - 2)}| ${" ".repeat(Math.max(0, column - 1 - start))}^`];
}

/** Every problem has an advice: the checker's own hint, else the general advice for its code. */
function hintOf(problem: Problem): string {
  return problem.hint ?? PROBLEM_DOCS[problem.code].fix;
}

export function problemJson(problem: Problem): Json {
  const { code, message, path, line, column } = problem;
  return { code, message, path, line, column, hint: hintOf(problem) };
}

/** One annotation as GitHub's runners read it from the log. */
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
