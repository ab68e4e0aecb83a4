import { join } from "node:path";
import { adminKey, newSecret } from "../server/index.ts";
import type { Store } from "../store/index.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import { openBridgeParts } from "./bridge-parts.ts";
import { type ConfigFlags, DEFAULT_ORGANISATION, HOST_SETTINGS, readConfig } from "./config.ts";
import { type Host, startHost, startRateOf } from "./host.ts";
import type { Io } from "./io.ts";
import { type Log, openLog } from "./log.ts";
import { readOidc } from "./oidc.ts";
import { readOutbound } from "./outbound.ts";
import { readSignIn } from "./sign-in.ts";
import { Refusal } from "./refusal.ts";
import { standUntilStopped } from "./standing.ts";
import { openStorage, withStorage } from "./storage.ts";
import { readVersion } from "./version.ts";

export interface ServeOptions extends Omit<ConfigFlags, "url" | "adminKey" | "data"> {
  readonly script?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly console: boolean;
  readonly json?: boolean;
}

/** One of any number of replicas over a database that is there and up to date. */
export async function serveReplica(io: Io, options: ServeOptions): Promise<number> {
  const { key, ...flags } = options;
  const config = readConfig(io, { ...flags, ...(key === undefined ? {} : { adminKey: key }) }, HOST_SETTINGS);
  const oidc = readOidc(config);
  const signIn = readSignIn(io, config);
  const outbound = readOutbound(io, config);
  if (config.databaseUrl === undefined) {
    throw new Refusal("serve needs a database: set DATABASE_URL or --database-url (without one there is `sluice up`)");
  }
  const bridge = await openBridgeParts(io, {
    config: await loadBridgeConfig(io, options.config),
    names: null,
    script: options.script,
    ledger: options.ledger,
    directory: join(config.data, "work"),
  });
  const log = openLog(io, config, bridge.redactor, "json");
  return standUntilStopped(io, log, async () => {
    const storage = await withStorage(openStorage(io, config));
    const { store } = storage;
    try {
      await withStorage(store.ping());
      const made = await withStorage(ensureKey(store, config.adminKey, io.clock.now()));
      const host = await withStorage(
        startHost(io, {
          config,
          oidc,
          signIn,
          storage,
          bridge,
          log,
          outbound,
          hasConsole: options.console,
          archivesAnywhere: false,
          startRate: startRateOf(config, STARTS_PER_MINUTE),
        }),
      );
      announce(io, log, options, host, made);
      if (config.publicUrl === undefined) log.warn(noPublicUrl(host.url));
      return host;
    } catch (thrown) {
      await store.close().catch(() => undefined);
      throw thrown;
    }
  });
}

/** What a key may start by default. */
const STARTS_PER_MINUTE = 30;

/** Keeps the key that is given; else makes a first one when there is none at all, and returns it: the only time it is shown. */
export async function ensureKey(store: Store, given: string | undefined, now: number): Promise<string | null> {
  await store.ensureOrganisation(DEFAULT_ORGANISATION);
  const { data } = await store.listKeys(DEFAULT_ORGANISATION, { limit: 1, cursor: null });
  const made = given === undefined && data.length === 0 ? newSecret() : null;
  const secret = given ?? made;
  if (secret !== null) await store.putKey(adminKey(DEFAULT_ORGANISATION, secret, now));
  return made;
}

/** Replicas that name different addresses to one Bridge are refused by it, in runs that fail long after the start. */
function noPublicUrl(url: string): string {
  const what = `without --public-url this replica names itself ${url} to Bridges and in links`;
  return `${what}; set the same address, which reaches every replica, on all of them`;
}

export function announce(
  io: Io,
  log: Log,
  { json, console, key }: ServeOptions,
  { url, signInUrl }: Host,
  made: string | null,
): void {
  if (json === true) {
    // A key on this very command line is known to the caller; one from the environment is not repeated in a log.
    const known = made ?? key ?? null;
    const link = known === null ? null : signInUrl(known);
    const consoleUrl = console ? (link ?? `${url}/`) : null;
    io.out.write(`${JSON.stringify({ url, consoleUrl, key: known, pid: process.pid })}\n`);
    return;
  }
  log.info(`sluice serves at ${url}`, { version: readVersion() });
  // Not a line of the log, which others may collect.
  if (made !== null) io.out.write(`the first key, shown only this once: ${made}\n`);
}
