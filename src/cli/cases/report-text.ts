import { formatPath } from "../../core/base/index.ts";
import { formatCount, formatDuration } from "../figures.ts";
import type { Io, Screen } from "../io.ts";
import { createPaint, type Paint, printable } from "../terminal-text.ts";
import { type CaseResult, hasFailed, type TestReport, totalsOf, type WorkflowCoverage } from "./case-result.ts";

/** Prints the report for people: one line per case, with its differences below it. */
export function printReport(io: Io, report: TestReport, isQuiet: boolean): void {
  const paint = createPaint(io.out, io.env);
  for (const { file, cases, isUpdated } of report.files) {
    const shown = isQuiet ? cases.filter(hasFailed) : cases;
    if (shown.length > 0) io.out.write(`${paint("bold", printable(file))}\n`);
    for (const one of shown) io.out.write(caseText(file, one, paint));
    if (isUpdated) io.err.write(`${printable(file)}: snapshots updated\n`);
  }
  printCoverage(io, io.out, report);
  const { cases, passed, failed, invalidFiles } = totalsOf(report);
  const words = [
    formatCount(cases, "case"),
    paint("green", `${passed} passed`),
    ...(failed === 0 ? [] : [paint("red", `${failed} failed`)]),
    ...(invalidFiles === 0 ? [] : [paint("red", `${formatCount(invalidFiles, "file")} not valid`)]),
  ];
  io.out.write(`${words.join(", ")} in ${formatDuration(report.durationMs)}\n`);
}

/** Prints the coverage, if it was requested. */
export function printCoverage({ env }: Io, screen: Screen, { coverage }: TestReport): void {
  for (const one of coverage ?? []) screen.write(coverageText(one, createPaint(screen, env)));
}

function caseText(file: string, result: CaseResult, paint: Paint): string {
  const name = printable(result.name);
  if (!hasFailed(result)) return `  ${paint("green", "✓")} ${name}\n`;
  const lines = result.mismatches.flatMap(({ path, expected, actual, place, hint }) => [
    `      ${paint("gray", `${printable(file)}:${place.line}:${place.column}:`)} ${printable(formatPath(path))}`,
    `        expected ${paint("green", printable(expected))}`,
    `        actual   ${paint("red", printable(actual))}`,
    ...(hint === null ? [] : [`        ${paint("cyan", "hint:")} ${printable(hint)}`]),
  ]);
  return `  ${paint("red", "✗")} ${name}\n${lines.join("\n")}\n`;
}

const PLURALS = { branch: "branches", handler: "handlers", gate: "gates" } as const;

function coverageText({ workflow, figures, missed }: WorkflowCoverage, paint: Paint): string {
  const parts = figures.map(({ kind, covered, total }) => `${PLURALS[kind]} ${covered}/${total}`);
  const lines = missed.map(
    ({ kind, node, way }) => `  ${paint("yellow", "-")} ${kind} ${printable(node)}: ${printable(way)}`,
  );
  return [`${paint("bold", "coverage")} of ${printable(workflow)}: ${parts.join(", ")}`, ...lines, ""].join("\n");
}
