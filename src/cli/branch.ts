import { readFile } from "node:fs/promises";
import type { InputsFrom, Run, BranchEdit, BranchPoint, TurnView } from "../client/index.ts";
import type { Api } from "./api.ts";
import { readArgs } from "./args.ts";
import { readJson } from "./call-answer.ts";
import { sendFile } from "./files.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { planOfVersion } from "./remote-plan.ts";
import { type ActionOptions, relaunched } from "./runs.ts";
import { printable } from "./terminal-text.ts";

export interface BranchOptions extends ActionOptions {
  readonly at?: number;
  readonly arg?: readonly string[];
  readonly argsFile?: string;
  readonly argFrom?: readonly string[];
  /** A round inside the turn of a node, in place of an event. */
  readonly node?: string;
  readonly round?: number;
  readonly message?: string;
  readonly result?: string;
}

/** Args that are given replace those of the run; the others stay as they were. */
export async function branchRun(io: Io, api: Api, id: string, options: BranchOptions): Promise<number> {
  const { at } = options;
  const point = await pointOf(api, id, options);
  if (point !== null) {
    const what = `branched from ${printable(id)} after round ${point.round} of ${printable(point.node)}`;
    return relaunched(io, api, await api.branchInTurn(id, point), options, what);
  }
  if (at === undefined) throw new Refusal("say where: --at EVENT, or --node NODE --round N");
  const isGiven = (options.arg ?? []).length > 0 || options.argsFile !== undefined;
  const args = isGiven ? await branchArgs(io, api, await api.getRun(id), options) : undefined;
  const branched = await api.branchRun(id, at, args, inputsFromOf(options.argFrom ?? []));
  return relaunched(io, api, branched, options, `branched from ${printable(id)} at event ${at}`);
}

/** Null: it is branched from an event. */
async function pointOf(api: Api, id: string, options: BranchOptions): Promise<BranchPoint | null> {
  const { at, node, round, message, result, arg = [], argsFile, argFrom = [] } = options;
  if (node === undefined && round === undefined && message === undefined && result === undefined) return null;
  if (node === undefined || round === undefined) {
    throw new Refusal("a branch inside a turn needs --node and --round; sluice runs show RUN --node NODE lists rounds");
  }
  if (at !== undefined || arg.length > 0 || argsFile !== undefined || argFrom.length > 0) {
    throw new Refusal("--node and --round go without --at and args: a turn is continued with the args it had");
  }
  if (message !== undefined && result !== undefined) throw new Refusal("--message and --result exclude each other");
  if (message !== undefined) return { node, round, edit: { message: await textOf(message) } };
  if (result === undefined) return { node, round };
  return { node, round, edit: await resultOf(await api.getTurn(id, node), round, result) };
}

/** `CALL=JSON` or `CALL=@FILE`; the call by its id, or by its position in the round. */
async function resultOf({ rounds }: TurnView, round: number, written: string): Promise<BranchEdit> {
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
  return { callId: call.callId, result: readJson("--result", await textOf(text)) };
}

async function textOf(written: string): Promise<string> {
  if (!written.startsWith("@")) return written;
  const path = written.slice(1);
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new Refusal(`cannot read ${printable(path)}`);
  }
}

/** `name=run/node/output`: the arg is taken from an output of another run. */
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
