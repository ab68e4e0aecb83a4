import { Api } from "./api.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { isFile, runOnServer } from "./remote-run.ts";
import { runHere, type RunOptions } from "./run.ts";
import { findServer, type LinkOptions } from "./server-link.ts";
import { printable } from "./terminal-text.ts";

export interface StartOptions extends RunOptions, LinkOptions {
  /** In this process, whatever server there may be. */
  readonly local?: boolean;
}

/** On the server when there is one, otherwise in this process. */
export async function start(io: Io, target: string, options: StartOptions): Promise<number> {
  const api = options.local === true ? null : await chooseServer(io, options);
  if (api !== null) return runOnServer(io, api, target, options);
  const [beyond] = serverFlags(options);
  if (beyond !== undefined)
    throw new Refusal(`${beyond} needs a server: start one with \`sluice up\`, or set SLUICE_URL`);
  if (isFile(io, target)) return runHere(io, target, options);
  const how = "start one with `sluice up`, or set SLUICE_URL";
  throw new Refusal(
    `cannot read ${printable(target)}: there is no such file, and no server to ask for a workflow: ${how}`,
  );
}

/** A server that only was found, not named, is no server once it no longer answers. */
async function chooseServer(io: Io, options: StartOptions): Promise<Api | null> {
  const link = findServer(io, options);
  if (link === null) return null;
  const local = localFlags(options);
  if (local.length > 0) {
    const isPlural = local.length > 1 ? "are" : "is";
    const what = `${local.join(", ")} ${isPlural} only for runs in this process`;
    if (link.from === "flag") throw new Refusal(`${what}; leave out --url, or leave that to the server`);
    if (options.quiet !== true && options.json !== true)
      io.err.write(`${what}, so it runs here and not at ${link.url}\n`);
    return null;
  }
  const api = new Api(link, () => io.clock.now());
  if (link.from !== "data-directory") return api;
  const isThere = await api.health().then(
    () => true,
    () => false,
  );
  return isThere ? api : null;
}

function serverFlags({ detach, team, recover }: StartOptions): readonly string[] {
  const flags = { "--detach": detach === true ? detach : undefined, "--team": team, "--recover": recover };
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
