import { join } from "node:path";
import { adminKey, newSecret } from "../server/index.ts";
import type { Store } from "../store/index.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import { openBridgeParts } from "./bridge-parts.ts";
import { type ConfigFlags, DEFAULT_ORGANISATION, HOST_SETTINGS, readConfig } from "./config.ts";
import { type Host, startHost } from "./host.ts";
import type { Io } from "./io.ts";
import { readOidc } from "./oidc.ts";
import { readOutbound } from "./outbound.ts";
import { Refusal } from "./refusal.ts";
import { standUntilStopped } from "./standing.ts";
import { openStorage, withStorage } from "./storage.ts";

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
  return standUntilStopped(io, async () => {
    const storage = await openStorage(io, config);
    const { store } = storage;
    try {
      await withStorage(store.ping());
      const secret = await withStorage(ensureKey(store, config.adminKey, io.clock.now()));
      const host = await withStorage(
        startHost(io, { config, oidc, storage, bridge, outbound, hasConsole: options.console, startRate: START_RATE }),
      );
      announce(io, options, host, secret);
      return host;
    } catch (thrown) {
      await store.close().catch(() => undefined);
      throw thrown;
    }
  });
}

/** What a key may start unless a policy says otherwise. */
const START_RATE = { count: 30, perSeconds: 60 } as const;

/** The key given; a first one when there is none at all; otherwise null, since nobody knows the ones there are. */
async function ensureKey(store: Store, given: string | undefined, now: number): Promise<string | null> {
  await store.ensureOrganisation(DEFAULT_ORGANISATION);
  const { data } = await store.listKeys(DEFAULT_ORGANISATION, { limit: 1, cursor: null });
  const secret = given ?? (data.length === 0 ? newSecret() : null);
  if (secret !== null) await store.putKey(adminKey(DEFAULT_ORGANISATION, secret, now));
  return secret;
}

function announce(io: Io, { json, console, key }: ServeOptions, { url, signInUrl }: Host, secret: string | null): void {
  if (json === true) {
    const link = secret === null ? null : signInUrl(secret);
    const consoleUrl = console ? (link ?? `${url}/`) : null;
    io.out.write(`${JSON.stringify({ url, consoleUrl, key: secret, pid: process.pid })}\n`);
    return;
  }
  io.err.write(`sluice serves at ${url}\n`);
  if (secret !== null && key === undefined) io.err.write(`the first key, shown only this once: ${secret}\n`);
}
