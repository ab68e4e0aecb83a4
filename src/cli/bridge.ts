import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ADAPTER_NAMES, type AdapterName, closeAdapters } from "../adapters/index.ts";
import { startBridge } from "../bridge/index.ts";
import { DirectoryInUse, lockDirectory } from "../store/embedded/index.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import { type BridgeParts, openBridgeParts } from "./bridge-parts.ts";
import { closeEach } from "./closing.ts";
import { type Config, type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { type Log, openLog } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { findServer } from "./server-link.ts";
import { reasonOf } from "./source-file.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import { printable } from "./terminal-text.ts";

export interface BridgeFlags extends Pick<
  ConfigFlags,
  "data" | "port" | "host" | "publicUrl" | "logLevel" | "logFormat"
> {
  readonly adapters?: string;
  readonly config?: string;
  readonly server?: string;
  readonly token?: string;
  readonly id?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly capabilities?: string;
  readonly script?: string;
  readonly ledger?: string;
  readonly json?: boolean;
}

export const DEFAULT_BRIDGE_PORT = "7718";
const DEFAULT_ID = "bridge";
const GRACE_MS = 8_000;
const ID = /^[a-z][a-z0-9-]{0,63}$/;

/** Runs a separate Bridge, near the models and tools, for a server at any address. */
export async function bridge(io: Io, flags: BridgeFlags): Promise<number> {
  const wanted = HOST_SETTINGS.filter((name) => name !== "adminKey" && name !== "databaseUrl");
  // SLUICE_PUBLIC_URL in the environment is the address of the server, not of this Bridge.
  const own = { ...io, env: { ...io.env, SLUICE_PUBLIC_URL: undefined } };
  const config = readConfig(own, { ...flags, port: flags.port ?? DEFAULT_BRIDGE_PORT }, wanted);
  const id = flags.id ?? DEFAULT_ID;
  if (!ID.test(id)) throw new Refusal("--id is lower-case letters, digits and dashes, at most 64, a letter first");
  const link = linkOf(io, flags);
  const names = namesOf(io, flags.adapters);
  const bridgeConfig = await loadBridgeConfig(io, flags.config);
  const directory = join(config.data, "bridges", id);
  new DataDirectory(config.data).create();
  const parts = await openBridgeParts(io, {
    config: bridgeConfig,
    names,
    script: flags.script,
    ledger: flags.ledger,
    directory: join(directory, "work"),
  });
  const unlock = await lock(directory);
  const log = openLog(io, config, parts.redactor, "text");
  return serveUntilStopped(io, log, async (end) => {
    const onRefused = (message: string): void => {
      log.error(message);
      end(EXIT.notPermitted);
    };
    const running = await raise(io, flags, { config, id, link, directory, parts, log, onRefused });
    announce(io, log, flags, running.url, link.server);
    return {
      url: running.url,
      localUrl: running.url,
      close: () => closeEach([() => running.close(GRACE_MS), () => closeAdapters(parts.adapters), unlock]),
    };
  });
}

interface Link {
  readonly server: string;
  readonly token: string;
}

/** Returns the server named by the flags, else the one known in this directory. */
function linkOf(io: Io, { server, token }: BridgeFlags): Link {
  const found = findServer(io, server === undefined ? {} : { url: server });
  const secret = token ?? io.env["SLUICE_TOKEN"] ?? found?.key ?? "";
  if (found === null) throw new Refusal("no server is named: use --server or SLUICE_URL, or start `sluice up` here");
  if (secret === "") {
    throw new Refusal("a token is needed: --token or SLUICE_TOKEN, a key with the permission to write registries");
  }
  return { server: found.url, token: secret };
}

/** Other accepted names of adapters. */
const ADAPTER_ALIASES: ReadonlyMap<string, AdapterName> = new Map([
  ["vercel-ai", "ai-sdk"],
  ["claude-sdk", "claude-agent"],
  ["claude-agent-sdk", "claude-agent"],
]);

function namesOf({ env }: Io, flag: string | undefined): readonly AdapterName[] | null {
  const text = flag ?? env["BRIDGE_ADAPTERS"] ?? "";
  if (text === "") return null;
  const from = flag === undefined ? "BRIDGE_ADAPTERS" : "--adapters";
  return text.split(",").map((written) => {
    const word = written.trim();
    const name = ADAPTER_NAMES.find((one) => one === word) ?? ADAPTER_ALIASES.get(word);
    if (name === undefined) {
      throw new Refusal(`${from}: there is no "${printable(written)}"; there are ${ADAPTER_NAMES.join(", ")}`);
    }
    return name;
  });
}

async function lock(directory: string): Promise<() => Promise<void>> {
  try {
    return await lockDirectory(directory);
  } catch (thrown) {
    if (!(thrown instanceof DirectoryInUse)) throw thrown;
    throw new Refusal(`another Bridge works in ${printable(directory)}: stop it, or choose another --id or --data`);
  }
}

interface Raising {
  readonly config: Config;
  readonly id: string;
  readonly link: Link;
  readonly directory: string;
  readonly parts: BridgeParts;
  readonly log: Log;
  readonly onRefused: (message: string) => void;
}

async function raise(io: Io, flags: BridgeFlags, { config, id, link, directory, parts, log, onRefused }: Raising) {
  const { name, environment, capabilities } = flags;
  try {
    return await startBridge({
      adapters: parts.adapters,
      redactor: parts.redactor,
      clock: io.clock,
      host: config.host,
      port: config.port,
      dataDirectory: directory,
      joinToken: link.token,
      instanceId: `brg_${randomBytes(12).toString("hex")}`,
      random: Math.random,
      register: {
        server: link.server,
        id,
        ...(name === undefined ? {} : { name }),
        ...(environment === undefined ? {} : { environment }),
        ...(parts.defaultProvider === null ? {} : { defaultProvider: parts.defaultProvider }),
        capabilities: capabilities === undefined ? [] : capabilities.split(",").map((word) => word.trim()),
        ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
      },
      onTrouble: (message) => log.warn(message),
      onRefused,
    });
  } catch (thrown) {
    throw new Refusal(`cannot listen on ${config.host}:${config.port}: ${printable(reasonOf(thrown))}`);
  }
}

function announce(io: Io, log: Log, { json }: BridgeFlags, url: string, server: string): void {
  if (json === true) io.out.write(`${JSON.stringify({ url, server, pid: process.pid })}\n`);
  else log.info(`this Bridge listens at ${url} and works for ${server}`);
}
