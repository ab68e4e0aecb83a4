import { accessSync, constants, existsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { closeAdapters, EMPTY_SCRIPT, openAdapters } from "../adapters/index.ts";
import { openPostgres } from "../postgres/index.ts";
import { createSqlStore, SchemaMismatch } from "../store/index.ts";
import { ApiProblem } from "../client/index.ts";
import { Api } from "./api.ts";
import { CLIENT_SETTINGS, type Config, type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { refusedGateways } from "./refused-gateways.ts";
import { findServer, type LinkOptions } from "./server-link.ts";
import { reasonOf } from "./source-file.ts";
import { isUnprepared } from "./storage.ts";
import { createPaint, oneLine } from "./terminal-text.ts";

export type DoctorOptions = LinkOptions &
  Pick<ConfigFlags, "data" | "databaseUrl" | "port" | "host"> & { readonly json?: boolean };

/** One thing that was looked at: how it is, and what to do when it is not well. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
}

const fine = (check: string, detail: string): Finding => ({ check, ok: true, detail });
const ill = (check: string, detail: string, fix: string): Finding => ({ check, ok: false, detail, fix });

/** Looks at everything a server or a client here would need, and explains what is wrong. */
export async function doctor(io: Io, options: DoctorOptions): Promise<number> {
  const config = readConfig(io, options, [...CLIENT_SETTINGS, ...HOST_SETTINGS.filter((name) => name !== "adminKey")]);
  const server = new DataDirectory(config.data).readServer();
  const findings = [
    nodeVersion(),
    dataDirectory(config),
    ...(config.databaseUrl === undefined ? [] : [await database(config.databaseUrl)]),
    // A server of ours on the port is no obstacle but the very thing.
    ...(server === null ? [await freePort(config)] : []),
    await reachable(io, options),
    ...(await gateways(io, options)),
    models(io),
    await nativeAdapters(io),
  ];
  if (options.json === true) printJson(io, { ok: findings.every(({ ok }) => ok), findings });
  else print(io, findings);
  return findings.every(({ ok }) => ok) ? EXIT.fine : EXIT.runFailed;
}

function nodeVersion(): Finding {
  const { node } = process.versions;
  const major = Number(node.split(".", 1)[0]);
  const detail = `Node ${node}`;
  return major >= 20 ? fine("node", detail) : ill("node", detail, "install Node 20.19 or newer");
}

function dataDirectory({ data }: Config): Finding {
  let nearest = data;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return fine("data directory", nearest === data ? data : `${data} can be made`);
  } catch (thrown) {
    return ill(
      "data directory",
      `${data}: ${reasonOf(thrown)}`,
      "choose one you may write to with --data or SLUICE_DATA",
    );
  }
}

async function database(url: string): Promise<Finding> {
  const store = createSqlStore(openPostgres({ url, connections: 1 }));
  try {
    await store.ping();
    return fine("database", "it answers, and its schema is current");
  } catch (thrown) {
    const isOld = thrown instanceof SchemaMismatch || isUnprepared(thrown);
    const fix = isOld
      ? "run `sluice migrate`"
      : "check DATABASE_URL, and that the database is up and lets this machine in";
    return ill("database", reasonOf(thrown), fix);
  } finally {
    await store.close().catch(() => undefined);
  }
}

function freePort({ port, host }: Config): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) =>
      resolve(ill("port", `${host}:${port}: ${reasonOf(error)}`, "choose another with --port")),
    );
    probe.listen(port, host, () => probe.close(() => resolve(fine("port", `${host}:${port} is free`))));
  });
}

async function reachable(io: Io, options: DoctorOptions): Promise<Finding> {
  const link = findServer(io, options);
  if (link === null) return fine("server", "none is known; runs take place in the process that starts them");
  const api = new Api(link, () => io.clock.now());
  try {
    await api.health();
    await api.listWorkflows({ limit: 1 });
    return fine("server", `${link.url} answers and takes the key`);
  } catch (thrown) {
    const isKey = thrown instanceof ApiProblem && (thrown.status === 401 || thrown.status === 403);
    const fix = isKey ? "set SLUICE_KEY to a key of this server" : "start it with `sluice up`, or set SLUICE_URL";
    return ill("server", `${link.url}: ${reasonOf(thrown)}`, fix);
  }
}

async function gateways(io: Io, options: DoctorOptions): Promise<readonly Finding[]> {
  const link = findServer(io, options);
  if (link === null) return [];
  try {
    return await refusedGateways(new Api(link, () => io.clock.now()));
  } catch {
    // A server that does not answer is a finding of its own.
    return [];
  }
}

const MODEL_KEYS = [
  ["openai", "OPENAI_API_KEY"],
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
] as const;

/** Nobody needs a model; but whoever names one without a key should not have to find out from a failed run. */
function models({ env }: Io): Finding {
  const [set, missing] = [true, false].map((isSet) =>
    MODEL_KEYS.filter(([, name]) => ((env[name] ?? "") !== "") === isSet),
  );
  const known = (set ?? []).map(([vendor]) => vendor).join(", ");
  const unknown = (missing ?? []).map(([vendor, name]) => `${vendor} (${name})`).join(", ");
  const without = unknown === "" ? "" : `no key for ${unknown}: steps of theirs fail with provider_auth`;
  return fine("models", [known === "" ? "" : `keys for ${known}`, without].filter((part) => part !== "").join("; "));
}

const NATIVE_ADAPTERS = ["claude-agent", "openclaw"] as const;

/** Nobody needs these either; as they are without a configuration, which may name another SDK or gateway. */
async function nativeAdapters({ env, clock }: Io): Promise<Finding> {
  const setup = { names: NATIVE_ADAPTERS, sections: {}, env, clock, directory: tmpdir(), script: EMPTY_SCRIPT };
  const adapters = await openAdapters({ ...setup, ledger: null });
  const said = await Promise.all(
    adapters.map(async (adapter) => {
      const { status, message } = await adapter.checkHealth();
      return `${adapter.provider} ${status}${message === undefined ? "" : ` (${message})`}`;
    }),
  );
  await closeAdapters(adapters);
  return fine("native adapters", said.join("; "));
}

function print(io: Io, findings: readonly Finding[]): void {
  const paint = createPaint(io.out, io.env);
  for (const { check, ok, detail, fix } of findings) {
    io.out.write(`${paint(ok ? "green" : "red", ok ? "✓" : "✗")} ${check}: ${oneLine(detail)}\n`);
    if (fix !== undefined) io.out.write(`  ${paint("cyan", "fix:")} ${fix}\n`);
  }
}
