import { join, relative } from "node:path";
import { EMPTY_SCRIPT } from "../adapters/index.ts";
import { adminKey, newSecret } from "../server/index.ts";
import type { Store } from "../store/index.ts";
import { ApiError } from "../client/index.ts";
import { Api } from "./api.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import { openBridgeParts } from "./bridge-parts.ts";
import { type ConfigFlags, DEFAULT_ORGANISATION, HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { DEMO_SCRIPT } from "./demo/script.ts";
import { DEMO_WORKFLOWS } from "./demo/workflows.ts";
import { readLimits } from "./limits.ts";
import { type Host, type HostParts, startHost, startRateOf } from "./host.ts";
import type { Io } from "./io.ts";
import { openLog } from "./log.ts";
import { readOidc } from "./oidc.ts";
import { readSignIn } from "./sign-in.ts";
import { LOOPBACK_ENTRIES, readOutbound } from "./outbound.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import { openStorage, withStorage } from "./storage.ts";
import { createPaint } from "./terminal-text.ts";

export interface UpOptions extends Omit<ConfigFlags, "url" | "adminKey"> {
  readonly script?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly demo: boolean;
  readonly console: boolean;
  readonly json?: boolean;
}

/** Starts database, driver, Bridge and API in one process, with demo workflows to run. */
export async function up(io: Io, options: UpOptions): Promise<number> {
  const { key, ...flags } = options;
  const config = readConfig(io, { ...flags, ...(key === undefined ? {} : { adminKey: key }) }, HOST_SETTINGS);
  const oidc = readOidc(config);
  const signIn = readSignIn(io, config);
  const outbound = readOutbound(io, config, LOOPBACK_ENTRIES);
  const directory = new DataDirectory(config.data);
  directory.create();
  const bridge = await openBridgeParts(io, {
    config: await loadBridgeConfig(io, options.config),
    names: null,
    script: options.script,
    ledger: options.ledger,
    fallbackScript: options.demo ? DEMO_SCRIPT : EMPTY_SCRIPT,
    directory: join(config.data, "work"),
  });
  const log = openLog(io, config, bridge.redactor, "text");
  return serveUntilStopped(io, log, async () => {
    const storage = await withStorage(openStorage(io, config));
    const { admin, host } = await withStorage(
      startStoreAndHost(io, options, { config, oidc, signIn, storage, bridge, outbound, log }, directory),
    );
    const close = (): Promise<void> => {
      directory.removeServer();
      return host.close();
    };
    try {
      if (options.demo) await saveDemo(new Api({ url: host.localUrl, key: admin.secret }));
      directory.writeServer({ url: host.localUrl, pid: process.pid });
      announce(io, options, host, admin, directory.keyPath);
    } catch (thrown) {
      await close();
      throw thrown;
    }
    return { ...host, close };
  });
}

interface AdminSecret {
  readonly secret: string;
  /** True when this start created the key. It is shown now and never again. */
  readonly isNew: boolean;
}

/** Prepares the store and starts the host. Closes the store again when a step fails. */
async function startStoreAndHost(
  io: Io,
  options: UpOptions,
  parts: Pick<HostParts, "config" | "oidc" | "signIn" | "storage" | "bridge" | "outbound" | "log">,
  directory: DataDirectory,
): Promise<{ readonly admin: AdminSecret; readonly host: Host }> {
  const { config, storage } = parts;
  try {
    await storage.store.migrate();
    const admin = await ensureKey(storage.store, directory, config.adminKey, io.clock.now());
    return {
      admin,
      host: await startHost(io, {
        ...parts,
        hasConsole: options.console,
        archivesAnywhere: true,
        limits: await readLimits(io, config),
        startRate: startRateOf(config, 0),
      }),
    };
  } catch (thrown) {
    await storage.store.close().catch(() => undefined);
    throw thrown;
  }
}

/** Returns the given key, else the key of the last start, else a new one. A replaced key is revoked. */
async function ensureKey(
  store: Store,
  directory: DataDirectory,
  given: string | undefined,
  now: number,
): Promise<AdminSecret> {
  const before = directory.readKey();
  const secret = given ?? before ?? newSecret();
  await store.ensureOrganisation(DEFAULT_ORGANISATION);
  await store.putKey(adminKey(DEFAULT_ORGANISATION, secret, now));
  if (before !== null && before !== secret) {
    await store.revokeKey(DEFAULT_ORGANISATION, adminKey(DEFAULT_ORGANISATION, before, now).id, now);
  }
  directory.writeKey(secret);
  return { secret, isNew: given === undefined && before === null };
}

/** Saves the demo workflows that do not exist yet. A changed demo workflow is not overwritten. */
async function saveDemo(api: Api): Promise<void> {
  for (const { name, source } of DEMO_WORKFLOWS) {
    try {
      await api.getWorkflow(name);
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
      // Exposed, so that an MCP client connected to a fresh server finds a workflow to run.
      await api.apply([{ kind: "Workflow", name, spec: { source, exposed: true } }]);
    }
  }
}

function announce(
  io: Io,
  options: UpOptions,
  { url, signInUrl }: Host,
  { secret, isNew }: AdminSecret,
  keyPath: string,
): void {
  const consoleUrl = options.console ? (signInUrl(secret) ?? `${url}/`) : null;
  if (options.json === true) {
    // A key from the command line is known to the caller. Every other key is shown once, when it is created.
    const key = isNew ? secret : (options.key ?? null);
    io.out.write(`${JSON.stringify({ url, consoleUrl, key, pid: process.pid })}\n`);
    return;
  }
  const paint = createPaint(io.out, io.env);
  const lines = [
    "",
    `  ${paint("bold", "Sluice is up")}`,
    "",
    `  URL  ${paint("cyan", url)}`,
    `  Key  ${isNew ? secret : `kept in ${relative(io.cwd, keyPath) || keyPath}`}`,
    ...(consoleUrl === null ? [] : [`  Open ${paint("cyan", consoleUrl)}`]),
    "",
    ...(options.demo ? ["  In another terminal, right here:", ...demoLines(io.cwd), ""] : []),
    "  Bridges, webhooks and channels on this machine are allowed; --allow-outbound lists other private addresses.",
    `  From elsewhere: export SLUICE_URL=${url} SLUICE_KEY=${isNew ? secret : "slk_…"}`,
    "  Ctrl-C stops it; runs continue with the next start.",
    "",
  ];
  io.out.write(`${lines.join("\n")}\n`);
}

function demoLines(cwd: string): readonly string[] {
  const program = programName(cwd, process.argv[1] ?? "");
  return [`    ${program} run demo-hello`, `    ${program} run demo-approval    asks before it publishes`];
}

/** Returns the program as the person can type it: the path in a checkout, npx in a project, the bare name elsewhere. */
function programName(cwd: string, path: string): string {
  const here = relative(cwd, path);
  if (/[/\\]node_modules[/\\]/.test(path)) return "npx sluice";
  return /^bin[/\\]sluice$/.test(here) ? here : "sluice";
}
