import { ApiProblem, type Version, type Workflow } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { diffLines } from "./line-diff.ts";
import { printJson } from "./listing.ts";
import { readManifests, type WorkflowManifest } from "./manifest.ts";
import { createPaint, oneLine, type Paint, printable } from "./terminal-text.ts";

export interface ApplyOptions {
  readonly file: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface Change {
  readonly kind: "Workflow";
  readonly name: string;
  readonly action: "created" | "updated" | "unchanged";
  readonly diff?: string;
}

/** Brings the server to what the files say; with `--dry-run` it only says what that would change. */
export async function apply(io: Io, api: Api, options: ApplyOptions): Promise<number> {
  const manifests = await readManifests(io, options.file);
  const plans = await Promise.all(
    manifests.map(async (manifest) => ({ manifest, change: changeOf(manifest, await current(api, manifest.name)) })),
  );
  if (options.dryRun !== true) {
    for (const { manifest, change } of plans) if (change.action !== "unchanged") await save(api, manifest);
  }
  const applied = plans.map(({ change }) => change);
  if (options.json === true) printJson(io, { applied });
  else for (const change of applied) printChange(io, change, options);
  return EXIT.fine;
}

interface Current {
  readonly workflow: Workflow;
  readonly version: Version;
}

async function current(api: Api, name: string): Promise<Current | null> {
  try {
    const workflow = await api.getWorkflow(name);
    return { workflow, version: await api.getVersion(name, workflow.version) };
  } catch (thrown) {
    if (thrown instanceof ApiProblem && thrown.status === 404) return null;
    throw thrown;
  }
}

function changeOf({ name, source, status }: WorkflowManifest, before: Current | null): Change {
  if (before === null) return { kind: "Workflow", name, action: "created", diff: diffLines("", source) };
  const isMoved = status !== null && status !== before.workflow.status;
  const moved = isMoved ? `-status: ${before.workflow.status}\n+status: ${status}\n` : "";
  const diff = `${moved}${diffLines(before.version.source, source)}`;
  if (!isMoved && source === before.version.source) return { kind: "Workflow", name, action: "unchanged" };
  return { kind: "Workflow", name, action: "updated", diff };
}

async function save(api: Api, { name, source, status }: WorkflowManifest): Promise<void> {
  await api.saveWorkflow(name, source);
  if (status !== null) await api.setWorkflowStatus(name, status);
}

function printChange(io: Io, { kind, name, action, diff }: Change, { dryRun, quiet }: ApplyOptions): void {
  const paint = createPaint(io.out, io.env);
  const word = dryRun === true && action !== "unchanged" ? `would be ${action}` : action;
  io.out.write(`${kind} ${oneLine(name)} ${paint(action === "unchanged" ? "gray" : "green", word)}\n`);
  const isShown = quiet !== true && diff !== undefined && (dryRun === true || action === "updated");
  if (isShown) io.out.write(paintDiff(printable(diff), paint));
}

function paintDiff(diff: string, paint: Paint): string {
  const colours = { "+": "green", "-": "red", "@": "cyan" } as const;
  return diff
    .split("\n")
    .map((line) => {
      const first = line.charAt(0);
      return first === "+" || first === "-" || first === "@" ? paint(colours[first], line) : line;
    })
    .join("\n");
}
