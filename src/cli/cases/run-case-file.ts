import { writeFile } from "node:fs/promises";
import { type CaseRun, runCase } from "../../cases/index.ts";
import type { JsonObject, TreePath } from "../../core/base/index.ts";
import {
  type CaseOutcome,
  checkOutcome,
  compareSnapshots,
  coverageItems,
  coveredBy,
  type Mismatch,
  snapshotOf,
} from "../../core/cases/index.ts";
import { hideInJson } from "../../core/redaction/index.ts";
import { printYaml, readSource } from "../../core/text/index.ts";
import { SimulationTooLong } from "../../simulation/index.ts";
import type { Io } from "../io.ts";
import { readSourceFile } from "../source-file.ts";
import type { CaseResult, FileResult, PlacedMismatch } from "./case-result.ts";
import type { LoadedCase, LoadedCases } from "./load-case-file.ts";
import { SnapshotFile } from "./snapshot-file.ts";

/** Maximum real time of one case. Days of simulated time pass in milliseconds. */
const CASE_MS_MAX = 10_000;

export interface RunCasesOptions {
  readonly filter?: string;
  readonly update?: boolean;
}

/** The coverage of a workflow by the cases of one file. */
export interface Shown {
  readonly workflow: string;
  readonly items: ReturnType<typeof coverageItems>;
  readonly covered: Set<string>;
}

/** Runs the cases of a file in order. Each case is independent. */
export async function runCaseFile(
  io: Io,
  loaded: LoadedCases,
  options: RunCasesOptions,
): Promise<{ readonly result: FileResult; readonly shown: Shown }> {
  const snapshots = await SnapshotFile.open(loaded.path);
  const { plan, tested, name } = loaded;
  const shown: Shown = { workflow: plan.name, items: coverageItems(plan), covered: new Set() };
  const cases: CaseResult[] = [];
  let isUpdated = false;
  for (const one of loaded.cases) {
    if (options.filter !== undefined && !one.written.name.includes(options.filter)) {
      keepSnapshot(snapshots, one);
      continue;
    }
    const began = performance.now();
    const run = await runCase(tested, one.ready, () => performance.now() - began < CASE_MS_MAX).catch(endless);
    for (const key of run === null ? [] : coveredBy(plan, run.logs)) shown.covered.add(key);
    if (run === null) keepSnapshot(snapshots, one);
    else if (options.update === true) isUpdated = (await update(io, one, run, snapshots)) || isUpdated;
    const isCompared = options.update !== true;
    cases.push({
      name: one.written.name,
      place: loaded.file.tree.placeOf(one.written.path),
      mismatches:
        run === null ? [tooLong(loaded, one)] : judge(loaded, one, run.outcome, isCompared ? snapshots : null),
      outcome: run?.outcome ?? null,
      durationMs: performance.now() - began,
    });
  }
  if (options.update === true) isUpdated = (await snapshots.write()) || isUpdated;
  return { result: { file: name, refusal: null, cases, isUpdated }, shown };
}

function endless(thrown: unknown): null {
  if (thrown instanceof SimulationTooLong) return null;
  throw thrown;
}

/** Keeps the existing snapshot of a case that is not run this time, or does not end. */
function keepSnapshot(snapshots: SnapshotFile, { written: { name, expect } }: LoadedCase): void {
  const kept = snapshots.find(name);
  if (kept !== undefined && expect?.snapshot === true) snapshots.put(name, kept as JsonObject);
}

function tooLong(loaded: LoadedCases, { written }: LoadedCase): PlacedMismatch {
  const expected = `an end within ${CASE_MS_MAX / 1_000} s`;
  return placed(loaded, written.path, { path: ["status"], expected, actual: "it does not end" });
}

/** Compares the outcome with the expectations. `snapshots` is null when they were just written. */
function judge(
  loaded: LoadedCases,
  { written, recorded }: LoadedCase,
  outcome: CaseOutcome,
  snapshots: SnapshotFile | null,
): readonly PlacedMismatch[] {
  const { expect, name, path } = written;
  const isAsRecorded = recorded !== null && expect === null;
  const found: Mismatch[] = isAsRecorded ? [] : [...checkOutcome(outcome, expect)];
  const actual = hideInJson(snapshotOf(outcome)) as JsonObject;
  if (recorded !== null && snapshots !== null) found.push(...compareSnapshots(recorded.snapshot, actual, ["recorded"]));
  if (expect?.snapshot === true && snapshots !== null) {
    const kept = snapshots.find(name);
    const missing = { path: ["snapshot"], expected: "a snapshot", actual: "none yet: sluice test --update writes it" };
    found.push(...(kept === undefined ? [missing] : compareSnapshots(kept, actual, ["snapshot"])));
  }
  return found.map((mismatch) => ({ ...placed(loaded, path, mismatch), hint: hintFor(mismatch, outcome) }));
}

/** Returns the place of the expectation in the file, or of the case when the file contains no such expectation. */
function placed({ file }: LoadedCases, path: TreePath, mismatch: Mismatch): PlacedMismatch {
  const inner = mismatch.path[0] === "recorded" ? [] : ["expect"];
  return { ...mismatch, place: file.tree.keyPlaceOf([...path, ...inner, ...mismatch.path]), hint: null };
}

/** Returns a hint about the node that waits or has failed, for a case with an unexpected status. */
function hintFor({ path }: Mismatch, { status, nodes, calls }: CaseOutcome): string | null {
  if (path[0] !== "status") return null;
  if (status === "waiting") {
    const blocked = [...nodes].find(([, node]) => node.status === "blocked")?.[0];
    const asks = calls.some(({ kind, node }) => kind === "person" && node === blocked);
    if (blocked === undefined) return null;
    return asks
      ? `${blocked} waits for a person: write approvals: { ${blocked}: approve }`
      : `${blocked} waits for an event: write it under events`;
  }
  const [id, failed] = [...nodes].find(([, node]) => node.errorCode !== null) ?? [];
  return failed === undefined ? null : `${id ?? ""} ended with ${failed.errorCode ?? ""}`;
}

async function update(
  io: Io,
  { written, recorded }: LoadedCase,
  run: CaseRun,
  snapshots: SnapshotFile,
): Promise<boolean> {
  const snapshot = hideInJson(snapshotOf(run.outcome)) as JsonObject;
  if (written.expect?.snapshot === true) snapshots.put(written.name, snapshot);
  if (recorded === null || compareSnapshots(recorded.snapshot, snapshot, []).length === 0) return false;
  const { tree } = readSource((await readSourceFile(io, recorded.path)).bytes);
  await writeFile(recorded.path, printYaml({ ...(tree?.value as JsonObject), snapshot }));
  return true;
}
