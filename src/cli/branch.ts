import type { BranchEdit, BranchPoint, InputsFrom, NodeEdits, Run, TurnView } from "../client/index.ts";
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { readArgs } from "./args.ts";
import { readJson } from "./call-answer.ts";
import { sendFile } from "./files.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { planOfVersion } from "./remote-plan.ts";
import { type ActionOptions, printRelaunch } from "./runs.ts";
import { readOptionText } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

export interface BranchOptions extends ActionOptions {
  readonly at?: number;
  readonly arg?: readonly string[];
  readonly argsFile?: string;
  readonly argFrom?: readonly string[];
  readonly prompt?: readonly string[];
  readonly output?: readonly string[];
  /** A node and a round of its turn to branch from, in place of an event. */
  readonly node?: string;
  readonly round?: number;
  readonly message?: string;
  readonly result?: string;
}

/** Branches a run. The given args replace those of the run, and the others stay unchanged. */
export async function branchRun(io: Io, api: Api, id: string, options: BranchOptions): Promise<number> {
  const edits = await editsOf(io, options);
  const point = await pointOf(io, api, id, options, edits);
  if (point !== null) {
    const what = `branched from ${printable(id)} after round ${point.round} of ${printable(point.node)}`;
    return printRelaunch(io, api, await api.branchInTurn(id, point), options, what);
  }
  const at = options.at ?? (isEmpty(edits) ? undefined : (await api.getRun(id)).lastEventId);
  if (at === undefined) throw new Refusal("name the place to branch from: --at EVENT, or --node NODE --round N");
  const isGiven = (options.arg ?? []).length > 0 || options.argsFile !== undefined;
  const args = isGiven ? await branchArgs(io, api, await api.getRun(id), options) : undefined;
  const branched = await api.branchRun(id, at, args, { ...inputsFromOf(options.argFrom ?? []), ...edits });
  return printRelaunch(io, api, branched, options, `branched from ${printable(id)} at event ${at}`);
}

function isEmpty({ prompts, outputs }: NodeEdits): boolean {
  return prompts === undefined && outputs === undefined;
}

async function editsOf(io: Io, { prompt = [], output = [] }: BranchOptions): Promise<NodeEdits> {
  const prompts = await textsByNode(io, "--prompt", "text", prompt);
  const outputs = await textsByNode(io, "--output", "json", output);
  const given = outputs.map(([node, text]) => [node, outputsIn(node, text)] as const);
  return {
    ...(prompts.length === 0 ? {} : { prompts: Object.fromEntries(prompts) }),
    ...(given.length === 0 ? {} : { outputs: Object.fromEntries(given) }),
  };
}

/** Parses `NODE=…` or `NODE=@FILE`. Each node may occur once. */
async function textsByNode(
  io: Io,
  option: string,
  kind: string,
  written: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  const texts = new Map<string, string>();
  for (const one of written) {
    const [, node = "", text = ""] = /^([^=]+)=(.*)$/su.exec(one) ?? [];
    if (node === "") throw new Refusal(`${option} ${printable(one)}: write it as NODE=${kind} or NODE=@FILE`);
    if (texts.has(node)) throw new Refusal(`${option}: ${printable(node)} is given twice`);
    texts.set(node, await readOptionText(io, text));
  }
  return [...texts];
}

function outputsIn(node: string, text: string): JsonObject {
  const value = readJson("--output", text);
  if (isJsonObject(value)) return value;
  throw new Refusal(`--output ${printable(node)}: outputs are a JSON object; a text is {"stdout": "…"}`);
}

/** Returns the round to branch from. Null when the branch starts from an event. */
async function pointOf(
  io: Io,
  api: Api,
  id: string,
  options: BranchOptions,
  { prompts, outputs }: NodeEdits,
): Promise<BranchPoint | null> {
  const { at, node, round, message, result, arg = [], argsFile, argFrom = [] } = options;
  if (node === undefined && round === undefined && message === undefined && result === undefined) return null;
  if (node === undefined || round === undefined) {
    throw new Refusal("a branch inside a turn needs --node and --round; sluice runs show RUN --node NODE lists rounds");
  }
  if (at !== undefined || arg.length > 0 || argsFile !== undefined || argFrom.length > 0 || outputs !== undefined) {
    throw new Refusal(
      "--node and --round cannot be combined with --at, args or --output: a turn continues with the args and outputs it had",
    );
  }
  if (message !== undefined && result !== undefined) throw new Refusal("--message and --result exclude each other");
  const point = { node, round, ...promptFor(node, prompts) };
  if (message !== undefined) return { ...point, edit: { message: await readOptionText(io, message) } };
  if (result === undefined) return point;
  return { ...point, edit: await resultOf(io, await api.getTurn(id, node), round, result) };
}

function promptFor(node: string, prompts: NodeEdits["prompts"] = {}): Pick<BranchPoint, "prompt"> {
  const other = Object.keys(prompts).find((name) => name !== node);
  if (other !== undefined) {
    throw new Refusal(
      `--prompt ${printable(other)}: a branch inside the turn of ${printable(node)} changes the prompt of that node only`,
    );
  }
  const prompt = prompts[node];
  return prompt === undefined ? {} : { prompt };
}

/** Parses `CALL=JSON` or `CALL=@FILE`. The call is named by its id or by its position in the round. */
async function resultOf(io: Io, { rounds }: TurnView, round: number, written: string): Promise<BranchEdit> {
  const [, named = "", text = ""] = /^([^=]+)=(.*)$/su.exec(written) ?? [];
  if (named === "") throw new Refusal(`--result ${printable(written)}: write it as CALL=JSON or CALL=@FILE`);
  const calls = rounds.find((each) => each.round === round)?.calls ?? [];
  const call = calls.find(({ callId }, position) => callId === named || String(position) === named);
  if (call === undefined) {
    const known = calls.map(({ tool }, position) => `${position} (${printable(tool)})`).join(", ");
    throw new Refusal(
      `--result: round ${round} has no call ${printable(named)}; it has ${known === "" ? "none" : known}`,
    );
  }
  return { callId: call.callId, result: readJson("--result", await readOptionText(io, text)) };
}

/** Parses `name=run/node/output`, which takes the arg from an output of another run. */
function inputsFromOf(written: readonly string[]): { readonly inputsFrom?: InputsFrom } {
  if (written.length === 0) return {};
  const origins = written.map((text) => {
    const [, arg, runId, nodeId, output] = /^([^=]+)=([^/]+)\/([^/]+)\/(.+)$/.exec(text) ?? [];
    if (arg === undefined || runId === undefined || nodeId === undefined || output === undefined) {
      throw new Refusal(`--arg-from ${printable(text)}: write it as name=run/node/output`);
    }
    return [arg, { runId, nodeId, output }] as const;
  });
  return { inputsFrom: Object.fromEntries(origins) };
}

async function branchArgs(io: Io, api: Api, run: Run, options: BranchOptions) {
  const plan = run.version === null ? null : await planOfVersion(api, run.workflow, run.version);
  if (plan === null)
    throw new Refusal(`the args of ${printable(run.workflow)} are not known here; branch without --arg`);
  return readArgs(io, plan.args, options, run.args, (path) => sendFile(io, api, path, options));
}
