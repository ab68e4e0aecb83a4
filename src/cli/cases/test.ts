import { coverageOf } from "../../core/cases/index.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../listing.ts";
import { projectFolders } from "../project-folders.ts";
import { Refusal } from "../refusal.ts";
import type { LinkOptions } from "../server-link.ts";
import { type FileResult, type TestReport, totalsOf, type WorkflowCoverage } from "./case-result.ts";
import { findCaseFiles } from "./find-case-files.ts";
import { loadCaseFile } from "./load-case-file.ts";
import { record } from "./record.ts";
import { githubReport, jsonReport, junitReport } from "./report-formats.ts";
import { printCoverage, printReport } from "./report-text.ts";
import { runCaseFile, type Shown } from "./run-case-file.ts";
import { watchFolders } from "./watch-folders.ts";

export const TEST_FORMATS = ["human", "junit", "github", "json"] as const;

export interface TestOptions extends LinkOptions {
  readonly registry?: readonly string[];
  readonly filter?: string;
  readonly update?: boolean;
  readonly coverage?: boolean;
  readonly watch?: boolean;
  /** The id of a run to make a case from. */
  readonly record?: string;
  readonly format: (typeof TEST_FORMATS)[number];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Tests workflows with cases, in this process and in simulated time. */
export async function test(io: Io, names: readonly string[], options: TestOptions): Promise<number> {
  if (options.record !== undefined) return record(io, options.record, names, options);
  const { code, folders } = await runAll(io, names, options);
  if (options.watch !== true) return code;
  return watchFolders(io, folders, () => runAgain(io, names, options));
}

/** Runs after a save. Files that are not there at the moment do not end the watch, because the next save can bring them back. */
async function runAgain(io: Io, names: readonly string[], options: TestOptions): Promise<readonly string[]> {
  try {
    return (await runAll(io, names, options)).folders;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    io.err.write(`sluice: ${thrown.message}\n`);
    return [];
  }
}

async function runAll(io: Io, names: readonly string[], options: TestOptions) {
  const began = performance.now();
  const files: FileResult[] = [];
  const shown: Shown[] = [];
  const folders: string[] = [];
  for (const name of await findCaseFiles(io, names)) {
    try {
      const loaded = await loadCaseFile(io, name, options.registry);
      folders.push(...loaded.folders);
      const run = await runCaseFile(io, loaded, options);
      files.push(run.result);
      shown.push(run.shown);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      // An invalid file does not stop the others, and all results are reported.
      io.err.write(`sluice: ${thrown.message}\n`);
      files.push({ file: name, refusal: thrown.message, cases: [], isUpdated: false });
    }
  }
  const coverage = options.coverage === true ? coverageByWorkflow(shown) : null;
  const report = { files, coverage, durationMs: performance.now() - began };
  print(io, report, options);
  // Cases and workflows may import files from anywhere in the project, so its folders are watched too.
  return { code: exitCodeOf(io, report, options), folders: [...new Set([...folders, ...projectFolders(io.cwd)])] };
}

/** Merges the coverage of workflows, because several files may test the same one. */
function coverageByWorkflow(shown: readonly Shown[]): readonly WorkflowCoverage[] {
  const byWorkflow = new Map<string, Shown>();
  for (const one of shown) {
    const before = byWorkflow.get(one.workflow);
    const covered = new Set([...(before?.covered ?? []), ...one.covered]);
    byWorkflow.set(one.workflow, { ...one, covered });
  }
  return [...byWorkflow.values()].map(({ workflow, items, covered }) => ({ workflow, ...coverageOf(items, covered) }));
}

function print(io: Io, report: TestReport, options: TestOptions): void {
  const format = options.json === true ? "json" : options.format;
  if (format === "json") printJson(io, jsonReport(report));
  else if (format === "junit") io.out.write(junitReport(report));
  else if (format === "github") io.out.write(githubReport(report));
  else printReport(io, report, options.quiet === true);
  // These two formats have no place for it.
  if (format === "junit" || format === "github") printCoverage(io, io.err, report);
}

function exitCodeOf(io: Io, report: TestReport, { filter }: TestOptions): number {
  const { cases, failed, invalidFiles } = totalsOf(report);
  if (invalidFiles > 0) return EXIT.badUsage;
  if (cases === 0 && filter !== undefined) {
    io.err.write(`sluice: no case has "${filter}" in its name\n`);
    return EXIT.badUsage;
  }
  return failed > 0 ? EXIT.runFailed : EXIT.fine;
}
