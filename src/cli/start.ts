import { ApiError, UNREACHABLE } from "../client/index.ts";
import { Api } from "./api.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { isFile, runOnServer } from "./remote-run.ts";
import { runHere, type RunOptions } from "./run.ts";
import { findServer, type LinkOptions } from "./server-link.ts";
import { printable } from "./terminal-text.ts";

export interface StartOptions extends RunOptions, LinkOptions {}

/** Starts a run on the known server. Runs in this process only when no server is known, or with `--local`. */
export async function start(io: Io, target: string, options: StartOptions): Promise<number> {
  const api = options.local === true ? null : chooseServer(io, options);
  if (api !== null)
    return runOnServer(io, api, target, options).catch((thrown: unknown) => hintAtLocal(io, target, thrown));
  const [beyond] = serverFlags(options);
  if (beyond !== undefined)
    throw new Refusal(`${beyond} needs a server: start one with \`sluice up\`, or set SLUICE_URL`);
  if (isFile(io, target)) return runHere(io, target, options);
  const how = "start one with `sluice up`, or set SLUICE_URL";
  throw new Refusal(
    `cannot read ${printable(target)}: there is no such file, and no server to ask for a workflow: ${how}`,
  );
}

/** Returns the known server even when it does not answer. That is an error, and no reason to run with scripted answers. */
function chooseServer(io: Io, options: StartOptions): Api | null {
  const link = findServer(io, options);
  if (link === null) return null;
  const local = localFlags(options);
  if (local.length === 0) return new Api(link);
  const [are, them] = local.length > 1 ? ["are", "them"] : ["is", "it"];
  const what = `${local.join(", ")} ${are} only for runs in this process, and a server is known (${link.url})`;
  throw new Refusal(`${what}: add --local to run it here, or leave ${them} out`);
}

function hintAtLocal(io: Io, target: string, thrown: unknown): never {
  const isAway = thrown instanceof ApiError && thrown.code === UNREACHABLE;
  if (isAway && isFile(io, target)) io.err.write("nothing was run; --local runs the file in this process\n");
  throw thrown;
}

function serverFlags({ detach, team, label, recover, priority }: StartOptions): readonly string[] {
  const flags = {
    "--detach": detach === true ? detach : undefined,
    "--team": team,
    "--label": label,
    "--recover": recover,
    "--priority": priority,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

function localFlags({ script, ledger, library, concurrency, maxTime }: StartOptions): readonly string[] {
  const flags = {
    "--script": script,
    "--ledger": ledger,
    "--library": library,
    "--concurrency": concurrency,
    "--max-time": maxTime,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}
