import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  checkAdapter,
  type Adapter,
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
  type Sample,
} from "../adapter/index.ts";
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import { readSource } from "../core/text/index.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile, reasonOf } from "./source-file.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

export interface AdapterTestOptions {
  /** YAML or JSON: the adapter's own section of a Bridge's configuration. */
  readonly config?: string;
  readonly json?: boolean;
}

/** A file's adapter, and the requests it says it can answer. */
interface Subject {
  readonly adapter: Adapter;
  readonly sample?: Sample;
  readonly slow?: Sample;
}

/** Holds the adapter in a file to the interface. The file may export `sample` and `slow`, requests to test it with. */
export async function testAdapter(io: Io, file: string, options: AdapterTestOptions): Promise<number> {
  const config = options.config === undefined ? undefined : await readSection(io, options.config);
  const subject = await loadSubject(io, file);
  const suite: ConformanceOptions = {
    ...(config === undefined ? {} : { config }),
    ...(subject.sample === undefined ? {} : { sample: subject.sample }),
    ...(subject.slow === undefined ? {} : { slow: subject.slow }),
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

async function loadSubject(io: Io, file: string): Promise<Subject> {
  const exported = await importFile(io, file);
  const found = exported.get("default") ?? exported.get("adapter") ?? exported.get("createAdapter");
  const adapter = typeof found === "function" ? await make(io, file, found as AdapterMaker) : found;
  if (!isAdapterLike(adapter)) {
    throw new Refusal(
      `${printable(file)} exports no adapter: export one as default or "adapter", or a function "createAdapter" that makes one`,
    );
  }
  const sample = exported.get("sample");
  const slow = exported.get("slow");
  return {
    adapter,
    ...(isSample(sample) ? { sample } : {}),
    ...(isSample(slow) ? { slow } : {}),
  };
}

async function importFile(io: Io, file: string): Promise<ReadonlyMap<string, unknown>> {
  try {
    const url = pathToFileURL(resolve(io.cwd, file)).href;
    return new Map(Object.entries((await import(url)) as Record<string, unknown>));
  } catch (thrown) {
    throw new Refusal(`cannot load ${printable(file)}: ${oneLine(reasonOf(thrown))}`);
  }
}

type AdapterMaker = (parts: { readonly env: Io["env"] }) => unknown;

async function make(io: Io, file: string, maker: AdapterMaker): Promise<unknown> {
  try {
    return await maker({ env: io.env });
  } catch (thrown) {
    throw new Refusal(`the function exported by ${printable(file)} made no adapter: ${oneLine(reasonOf(thrown))}`);
  }
}

/** Enough to be judged by the suite, which says what is wrong with the rest. */
function isAdapterLike(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "execute" in value && "provider" in value;
}

function isSample(value: unknown): value is Sample {
  return typeof value === "function" || (typeof value === "object" && value !== null && !Array.isArray(value));
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
