import { formatPath, type Json } from "../../core/base/index.ts";
import { snapshotOf } from "../../core/cases/index.ts";
import { githubLine } from "../problem-report.ts";
import { type CaseResult, hasFailed, type PlacedMismatch, type TestReport, totalsOf } from "./case-result.ts";

/** Returns the complete report for programs, with the result of each case. */
export function jsonReport(report: TestReport): object {
  const totals = totalsOf(report);
  return {
    ok: totals.failed === 0 && totals.invalidFiles === 0,
    ...totals,
    durationMs: Math.round(report.durationMs),
    files: report.files.map(({ file, refusal, cases }) => ({
      file,
      ok: refusal === null && !cases.some(hasFailed),
      ...(refusal === null ? {} : { problem: refusal }),
      cases: cases.map(caseJson),
    })),
    ...(report.coverage === null ? {} : { coverage: report.coverage }),
  };
}

function caseJson(result: CaseResult): object {
  const { name, place, outcome, durationMs, mismatches } = result;
  return {
    name,
    ok: !hasFailed(result),
    ...place,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(outcome === null ? {} : { costUsd: outcome.costUsd, result: snapshotOf(outcome) as Json }),
    mismatches: mismatches.map(({ path, place: { line, column }, expected, actual, hint }) => ({
      path: formatPath(path),
      line,
      column,
      expected,
      actual,
      ...(hint === null ? {} : { hint }),
    })),
  };
}

/** Returns annotations for the log of a GitHub runner: one for each failed case and each invalid file. */
export function githubReport({ files }: TestReport): string {
  return files
    .flatMap(({ file, refusal, cases }) => [
      ...(refusal === null ? [] : [githubLine("error", { file, line: 1, column: 1, title: "invalid cases" }, refusal)]),
      ...cases.filter(hasFailed).map(({ name, place, mismatches }) => {
        const [first] = mismatches;
        const at = { file, ...(first?.place ?? place), title: name };
        return githubLine("error", at, mismatches.map(mismatchText).join("\n"));
      }),
    ])
    .join("");
}

/** Returns the report as JUnit XML, which CI systems read. */
export function junitReport(report: TestReport): string {
  const { cases, failed, invalidFiles } = totalsOf(report);
  const suites = report.files.map(({ file, refusal, cases: own }) => {
    const failures = own.filter(hasFailed).length;
    const time = seconds(own.reduce((sum, { durationMs }) => sum + durationMs, 0));
    const tests = refusal === null ? own.length : 1;
    const head = { name: file, tests, failures, errors: refusal === null ? 0 : 1, skipped: 0, time };
    const inner = refusal === null ? own.map((one) => junitCase(file, one)) : [junitRefusal(file, refusal)];
    return `  <testsuite${attributes(head)}>\n${inner.join("")}  </testsuite>\n`;
  });
  const head = {
    name: "sluice",
    tests: cases + invalidFiles,
    failures: failed,
    errors: invalidFiles,
    time: seconds(report.durationMs),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes(head)}>\n${suites.join("")}</testsuites>\n`;
}

function junitCase(file: string, result: CaseResult): string {
  const { name, place, durationMs, mismatches } = result;
  const head = attributes({ classname: file, name, file, line: place.line, time: seconds(durationMs) });
  if (!hasFailed(result)) return `    <testcase${head}/>\n`;
  const [first] = mismatches;
  const message = first === undefined ? "" : mismatchText(first);
  const text = escapeXml(mismatches.map(mismatchText).join("\n"));
  return `    <testcase${head}>\n      <failure${attributes({ message, type: "mismatch" })}>${text}</failure>\n    </testcase>\n`;
}

function junitRefusal(file: string, refusal: string): string {
  const head = attributes({ classname: file, name: "is valid", file });
  const error = `<error${attributes({ message: refusal, type: "invalid" })}/>`;
  return `    <testcase${head}>\n      ${error}\n    </testcase>\n`;
}

function mismatchText({ path, expected, actual, hint }: PlacedMismatch): string {
  return `${formatPath(path)}: expected ${expected}, came ${actual}${hint === null ? "" : ` (${hint})`}`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for XML 1.0, which cannot contain control characters other than tab and line feed. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]|\p{Cs}/gu, "\uFFFD")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    .replaceAll("\n", "&#10;");
}
