import { isDeepStrictEqual } from "node:util";
import type { Plan } from "../../../src/core/plan/index.ts";
import type { EventFrame } from "../../../src/core/view/index.ts";
import type { Happening } from "../../simulation/world/happenings.ts";
import type { Api, RunOnWire } from "./api.ts";
import { type JudgeOptions, judgeRun } from "./judge.ts";
import type { Call } from "./ledger.ts";
import { REPORT } from "./flow-samples.ts";
import type { Sample } from "./workload.ts";

/** A run, or a run of one of its blocks, with its log and the plan it follows. */
interface Relative {
  readonly run: RunOnWire;
  readonly plan: Plan;
  readonly frames: readonly EventFrame[];
}

/** A run with the runs of its blocks, which no list shows. */
export interface Family {
  readonly key: string;
  readonly sample: Sample;
  readonly root: RunOnWire;
  readonly all: readonly Relative[];
}

export async function readFamily(api: Api, key: string, id: string, sample: Sample): Promise<Family> {
  const root = await api.getRun(id);
  const all: Relative[] = [];
  const open: { readonly id: string; readonly plan: Plan }[] = [{ id, plan: sample.plan }];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const frames = await api.readLog(next.id);
    all.push({ run: await api.getRun(next.id), plan: next.plan, frames });
    for (const child of startedBy(frames)) {
      const plan = sample.plan.blocks.get(child.block);
      if (plan === undefined) throw new Error(`${sample.name} has no block ${child.block}`);
      open.push({ id: child.id, plan });
    }
  }
  return { key, sample, root, all };
}

function startedBy(frames: readonly EventFrame[]): readonly { readonly id: string; readonly block: string }[] {
  return frames.flatMap(({ type, payload }) => {
    if (type === "run.finally") return [{ id: payload.childRunId, block: "finally" }];
    return type === "child.started" ? [{ id: payload.childRunId, block: payload.block ?? "" }] : [];
  });
}

/** What the steps of a family have emitted. */
export function emittedBy({ all }: Family): readonly Happening[] {
  return all.flatMap(({ frames }) =>
    frames.flatMap(({ type, payload }) => (type === "event.emitted" ? [{ ...payload, at: 0 }] : [])),
  );
}

export interface FamilyOptions extends JudgeOptions {
  readonly calls: readonly Call[];
  readonly sent: readonly Happening[];
}

/** What is wrong with a run, with any of its blocks, or with what came of them together. */
export function judgeFamily(family: Family, { calls, sent, ...options }: FamilyOptions): readonly string[] {
  const { sample, root, all, key } = family;
  const found = all.flatMap(({ run, plan, frames }) => {
    const own = calls.filter((call) => call.run === run.id);
    return judgeRun({ sample: { ...sample, plan }, run, frames, calls: own, sent }, options);
  });
  const complain = (message: string): void => void found.push(`${sample.name} ${root.id}: ${message}`);
  const ids = all.map(({ run }) => run.id);
  if (new Set(ids).size !== ids.length) complain("a block is in two places");
  for (const { run, frames } of all) for (const report of reportsOf(frames, all)) complain(`${run.id}: ${report}`);
  if (root.status !== "completed") return found;
  if (sample.plan.finally !== null && all.filter(({ frames }) => blockOf(frames) === "finally").length !== 1)
    complain("what comes last has not run once");
  for (const report of judgeTaken(family)) complain(report);
  const expected = sample.outputs?.(key);
  if (expected !== undefined && !isDeepStrictEqual(root.outputs, expected))
    complain(`gives ${JSON.stringify(root.outputs)} and not ${JSON.stringify(expected)}`);
  return found;
}

function blockOf([first]: readonly EventFrame[]): string | undefined {
  return first?.type === "run.started" ? first.payload.block : undefined;
}

/** A parent records of each of its blocks, once, how it has ended. */
function reportsOf(frames: readonly EventFrame[], all: readonly Relative[]): readonly string[] {
  return startedBy(frames).flatMap(({ id, block }) => {
    const ends = frames.flatMap(({ type, payload }) =>
      (type === "child.finished" || type === "run.finally.ended") && payload.childRunId === id ? [payload.status] : [],
    );
    const status = all.find(({ run }) => run.id === id)?.run.status;
    if (ends.length === 1 && ends[0] === status) return [];
    return [`block ${block} is ${status}, and recorded are ${ends.join(", ")}`];
  });
}

/** Each event that was sent is taken by as many nodes as wait for it, and by each of them once. */
function judgeTaken({ sample, key, all }: Family): readonly string[] {
  const taken = all.flatMap(({ frames }) =>
    frames.flatMap(({ type, payload }) => (type === "event.received" ? [payload.id] : [])),
  );
  const wanted = new Map((sample.events?.(key) ?? []).map(({ id, takers }) => [id, takers]));
  return [...new Set([...wanted.keys(), ...taken])].flatMap((id) => {
    const count = taken.filter((other) => other === id).length;
    // What is emitted inside is waited for once.
    const expected = wanted.get(id) ?? 1;
    return count === expected ? [] : [`${id} was taken ${count} times and not ${expected}`];
  });
}

/** The files a run returns are there, and hold what it was given. */
export async function judgeFiles(api: Api, { sample, root }: Family): Promise<readonly string[]> {
  if (sample.takesFile === undefined || root.status !== "completed") return [];
  const { copies, one } = root.outputs ?? {};
  const files = [...(Array.isArray(copies) ? copies : []), one] as readonly { readonly sha256: string }[];
  const found = files.length === 3 ? [] : [`${root.id} gives ${files.length} files`];
  for (const { sha256 } of files)
    if ((await api.readFile(sha256)) !== REPORT.text) found.push(`${root.id}: ${sha256} does not hold what was copied`);
  return found;
}
