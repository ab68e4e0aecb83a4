import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { checkSource, type Plan } from "../core/plan/index.ts";
import { outlineOf } from "../core/view/index.ts";
import { ApiError, type SavedWorkflow } from "../client/index.ts";
import type { Api } from "./api.ts";
import { readArgs } from "./args.ts";
import { EXIT } from "./exit-code.ts";
import { sendFile } from "./files.ts";
import { followRun } from "./follow.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { readLabel } from "./run-text.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { leavesOf, planOfVersion, SERVER_CATALOG } from "./remote-plan.ts";
import type { RunOptions } from "./run.ts";
import { blockOutlinesOf } from "./shown-family.ts";
import { printable } from "./terminal-text.ts";
import { readWorkflowFile } from "./workflow-file.ts";
import { childFilesOf, type FiledPlan, sourceText } from "./workspace.ts";

interface Chosen {
  readonly name: string;
  readonly version: number;
  readonly plan: Plan;
}

/**
 * Starts a run on a server and shows it. A local file is saved on the server first, together with the workflows it
 * starts that are beside it, so that the run uses the content of the files.
 */
export async function runOnServer(io: Io, api: Api, target: string, options: RunOptions): Promise<number> {
  const { name, version, plan } = isFile(io, target)
    ? await saveFile(io, api, target, options)
    : await findVersion(api, target);
  const args = await readArgs(io, plan.args, options, {}, (path) => sendFile(io, api, path, options));
  const { team, label = [], recover, priority } = options;
  const more = {
    ...(team === undefined ? {} : { team }),
    ...(label.length === 0 ? {} : { labels: Object.fromEntries(label.map(readLabel)) }),
    ...(priority === undefined ? {} : { priority }),
    ...(recover === undefined ? {} : { recovery: { max: recover } }),
  };
  const run = await api.startRun({ workflow: name, version, args, ...more }, { idempotencyKey: randomUUID() });
  for (const { code, message } of options.quiet === true ? [] : (run.warnings ?? [])) {
    io.err.write(`sluice: warning: ${code}: ${printable(message)}\n`);
  }
  if (options.detach === true) {
    if (options.json === true) printJson(io, run);
    else io.out.write(`${run.id}\n`);
    return EXIT.fine;
  }
  if (options.quiet !== true && options.json !== true) io.err.write(`${run.id} of ${name}@${version} at ${api.url}\n`);
  const followed = {
    runId: run.id,
    workflow: name,
    outline: outlineOf(plan),
    blocks: blockOutlinesOf(plan),
    leaves: leavesOf(plan),
  };
  return followRun(io, api, followed, { ...options, isOwn: true });
}

/** Checks whether the target is a file. Names on a server never contain a dot or a slash, and an existing file counts as a file. */
export function isFile(io: Io, target: string): boolean {
  return (
    target === "-" ||
    /[./\\]/.test(target) ||
    statSync(resolve(io.cwd, target), { throwIfNoEntry: false })?.isFile() === true
  );
}

async function saveFile(io: Io, api: Api, target: string, { quiet, json }: RunOptions): Promise<Chosen> {
  const file = await readWorkflowFile(io, target);
  const { plan, problems, warnings } = checkSource(file.bytes, SERVER_CATALOG);
  printProblems(io, file, problems);
  if (plan === null) throw new Refusal(`${printable(target)} is not valid, nothing was started`);
  if (quiet !== true) printProblems(io, file, warnings, "warning");
  for (const child of await childFilesOf(io, file, plan, SERVER_CATALOG)) {
    const saved = await save(io, api, child);
    if (quiet !== true && json !== true)
      io.err.write(`${saved.name}@${saved.version} of ${printable(child.file.name)}\n`);
  }
  const { version } = await save(io, api, { file, plan });
  return { name: plan.name, version, plan };
}

async function save(io: Io, api: Api, { file, plan }: FiledPlan): Promise<SavedWorkflow> {
  try {
    return await api.saveWorkflow(plan.name, sourceText(file), file.code === undefined ? {} : { origin: "code" });
  } catch (thrown) {
    const isBeyond = thrown instanceof ApiError && thrown.problems.some(({ code }) => code === "not_supported");
    if (isBeyond) io.err.write("the server cannot run this; --local runs it in this process\n");
    throw thrown;
  }
}

const NAME = /^(.+?)(?:@([1-9]\d{0,8}))?$/s;

async function findVersion(api: Api, target: string): Promise<Chosen> {
  const [, name = target, wanted] = NAME.exec(target) ?? [];
  const workflow = await api.getWorkflow(name);
  const version = wanted === undefined ? workflow.version : Number(wanted);
  const plan = await planOfVersion(api, name, version);
  if (plan === null) throw new Refusal(`${printable(name)} has no version ${version} that can be read here`);
  return { name, version, plan };
}
