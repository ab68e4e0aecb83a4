import { join } from "node:path";
import { adminKey, newSecret } from "../server/index.ts";
import type { Store } from "../store/index.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import { openBridgeParts } from "./bridge-parts.ts";
import { readCellsFile } from "./cells-file.ts";
import { type Config, type ConfigFlags, DEFAULT_ORGANISATION, HOST_SETTINGS, readConfig } from "./config.ts";
import { type Host, type HostParts, startHost, startRateOf } from "./host.ts";
import type { Io } from "./io.ts";
import { readLimits } from "./limits.ts";
import { type Log, openLog } from "./log.ts";
import { readOidc } from "./oidc.ts";
import { readOutbound } from "./outbound.ts";
import { processCount, Processes } from "./processes.ts";
import { openSiblings } from "./siblings.ts";
import { readSignIn } from "./sign-in.ts";
import { Refusal } from "./refusal.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import { openStorage, withStorage } from "./storage.ts";
import { readVersion } from "./version.ts";

export interface ServeOptions extends Omit<ConfigFlags, "url" | "adminKey" | "data"> {
  readonly script?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly console: boolean;
  readonly json?: boolean;
  /** Number of processes that serve the port together, or `auto`. */
  readonly processes?: string;
}

/** Serves as one replica over a prepared database, or as several replicas in processes of their own. */
export async function serveReplica(io: Io, options: ServeOptions): Promise<number> {
  const count = processCount(options.processes) ?? 1;
  const siblings = openSiblings();
  const { key, ...flags } = options;
  const config = readConfig(io, { ...flags, ...(key === undefined ? {} : { adminKey: key }) }, HOST_SETTINGS);
  const oidc = readOidc(config);
  const signIn = readSignIn(io, config);
  const outbound = readOutbound(io, config);
  const limits = await readLimits(io, config);
  if (count > 1 && config.cells !== undefined) {
    throw new Refusal(
      "choose one: --processes (several replicas here) or --cells; start serve several times with --cells",
    );
  }
  if (config.databaseUrl === undefined && config.cells === undefined) {
    throw new Refusal(
      count > 1
        ? "--processes needs a Postgres database, --database-url: the embedded one belongs to one process"
        : "serve needs a database: set DATABASE_URL or --database-url, or --cells (without one there is `sluice up`)",
    );
  }
  if (count > 1 && siblings === null) return serveTogether(io, options, config, count);
  const bridge = await openBridgeParts(io, {
    config: await loadBridgeConfig(io, options.config),
    names: null,
    script: options.script,
    ledger: options.ledger,
    directory: join(config.data, "work"),
  });
  const log = openLog(io, config, bridge.redactor, "json");
  const parts: Omit<HostParts, "storage"> = {
    config,
    oidc,
    signIn,
    bridge,
    log,
    outbound,
    limits,
    siblings,
    hasConsole: options.console,
    archivesAnywhere: false,
    startRate: startRateOf(config, STARTS_PER_MINUTE),
  };
  return serveUntilStopped(io, log, async () => {
    const { host, made } = await (config.cells === undefined
      ? startAlone(io, parts)
      : startCells(io, config.cells, parts));
    if (siblings === null) announce(io, log, options, host, made);
    else siblings.announce(host.url);
    if (config.publicUrl === undefined && siblings === null) log.warn(noPublicUrl(host.url));
    return host;
  });
}

interface Started {
  readonly host: Host;
  /** The first key, if it was created at this start. Otherwise null. */
  readonly made: string | null;
}

async function startAlone(io: Io, parts: Omit<HostParts, "storage">): Promise<Started> {
  const storage = await withStorage(openStorage(io, parts.config));
  const { store } = storage;
  try {
    await withStorage(store.ping());
    const made = await withStorage(ensureKey(store, parts.config.adminKey, io.clock.now()));
    return { host: await withStorage(startHost(io, { ...parts, storage })), made };
  } catch (thrown) {
    await store.close().catch(() => undefined);
    throw thrown;
  }
}

async function startCells(io: Io, file: string, parts: Omit<HostParts, "storage">): Promise<Started> {
  if (parts.config.databaseUrl !== undefined) {
    throw new Refusal("choose one: --database-url (one database) or --cells (several)");
  }
  const { FleetHost } = await import("./fleet-host.ts");
  const fleet = new FleetHost(io, await readCellsFile(io, file), parts);
  let made: string | null = null;
  const prepare = async (store: Store): Promise<void> => {
    made = await ensureKey(store, parts.config.adminKey, io.clock.now());
  };
  try {
    return { host: await withStorage(fleet.start(prepare)), made };
  } catch (thrown) {
    await fleet.close().catch(() => undefined);
    throw thrown;
  }
}

/** Serves with several replicas, each in its own process, behind one port. */
async function serveTogether(io: Io, options: ServeOptions, config: Config, count: number): Promise<number> {
  const log = openLog(io, config, { text: (text) => text }, "json");
  const { store } = await withStorage(openStorage(io, config));
  const made = await withStorage(
    store
      .ping()
      .then(() => ensureKey(store, config.adminKey, io.clock.now()))
      .finally(() => store.close()),
  );
  return new Processes(io, log, count).run((localUrl) => {
    const url = config.publicUrl ?? localUrl;
    // A link that signs in once would be known to only one of the processes.
    announce(io, log, options, { url, signInUrl: () => null }, made);
  });
}

/** Number of runs a key may start per minute by default. */
const STARTS_PER_MINUTE = 30;

/** Stores the given key. Without one, creates a first key if none exists, and returns it: the only time it is shown. */
export async function ensureKey(store: Store, given: string | undefined, now: number): Promise<string | null> {
  await store.ensureOrganisation(DEFAULT_ORGANISATION);
  const { data } = await store.listKeys(DEFAULT_ORGANISATION, { limit: 1, cursor: null });
  const made = given === undefined && data.length === 0 ? newSecret() : null;
  const secret = given ?? made;
  if (secret !== null) await store.putKey(adminKey(DEFAULT_ORGANISATION, secret, now));
  return made;
}

/** Returns a warning. If replicas report different addresses to one Bridge, the Bridge refuses them long after the start, and runs fail. */
function noPublicUrl(url: string): string {
  const what = `without --public-url this replica names itself ${url} to Bridges and in links`;
  return `${what}; set the same address, which reaches every replica, on all of them`;
}

export function announce(
  io: Io,
  log: Log,
  { json, console, key }: ServeOptions,
  { url, signInUrl }: Pick<Host, "url" | "signInUrl">,
  made: string | null,
): void {
  if (json === true) {
    // A key from the command line is known to the caller. A key from the environment must not be repeated in a log.
    const known = made ?? key ?? null;
    const link = known === null ? null : signInUrl(known);
    const consoleUrl = console ? (link ?? `${url}/`) : null;
    io.out.write(`${JSON.stringify({ url, consoleUrl, key: known, pid: process.pid })}\n`);
    return;
  }
  log.info(`sluice serves at ${url}`, { version: readVersion() });
  // Not written to the log, because others may collect the log.
  if (made !== null) io.out.write(`the first key, shown only this once: ${made}\n`);
}
