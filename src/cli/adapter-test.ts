import {
  checkAdapter,
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
} from "../adapter/index.ts";
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import { readSource } from "../core/text/index.ts";
import { loadAdapterFile } from "./adapter-file.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

export interface AdapterTestOptions {
  /** File in YAML or JSON with the adapter's section of a Bridge configuration. */
  readonly config?: string;
  readonly json?: boolean;
}

/** Checks the adapter in a file against the interface. The file may export the test requests `sample`, `slow` and `turn`. */
export async function testAdapter(io: Io, file: string, options: AdapterTestOptions): Promise<number> {
  const config = options.config === undefined ? undefined : await readSection(io, options.config);
  const subject = await loadAdapterFile(io, file);
  const suite: ConformanceOptions = {
    ...(config === undefined ? {} : { config }),
    ...(subject.sample === undefined ? {} : { sample: subject.sample }),
    ...(subject.slow === undefined ? {} : { slow: subject.slow }),
    ...(subject.turn === undefined ? {} : { turn: subject.turn }),
  };
  const report = await checkAdapter(subject.adapter, suite);
  if (options.json === true) io.out.write(`${JSON.stringify(report, null, 2)}\n`);
  else printReport(io, report);
  return report.ok ? EXIT.fine : EXIT.runFailed;
}

async function readSection(io: Io, name: string): Promise<JsonObject> {
  const file = await readSourceFile(io, name);
  const { tree, problems } = readSource(file.bytes);
  if (tree === null || problems.length > 0) {
    printProblems(io, file, problems);
    throw new Refusal(`the configuration ${printable(name)} cannot be read, nothing was tested`);
  }
  if (isJsonObject(tree.value)) return tree.value;
  throw new Refusal(`the configuration ${printable(name)} must be a map: the adapter's own section`);
}

function printReport(io: Io, report: ConformanceReport): void {
  const paint = createPaint(io.out, io.env);
  const rows = report.checks.map(({ name, ok, detail }) => [signOf(ok), name, oneLine(detail)]);
  const lines = formatTable(rows).trimEnd().split("\n");
  for (const [index, line] of lines.entries()) {
    const ok = report.checks[index]?.ok;
    io.out.write(`${ok === false ? paint("red", line) : ok === null ? paint("gray", line) : line}\n`);
  }
  const count = (wanted: ConformanceCheck["ok"]): number => report.checks.filter(({ ok }) => ok === wanted).length;
  const verdict = report.ok ? paint("green", "conforms") : paint("red", "does not conform");
  const counts = `${formatCount(count(true), "check")} passed, ${count(false)} failed, ${count(null)} not applicable`;
  io.out.write(`${oneLine(report.provider)} ${verdict}: ${counts}\n`);
}

function signOf(ok: ConformanceCheck["ok"]): string {
  if (ok === null) return "–";
  return ok ? "✓" : "✗";
}
