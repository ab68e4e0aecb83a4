import { accessSync, constants, existsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { closeAdapters, EMPTY_SCRIPT, openAdapters } from "../adapters/index.ts";
import { openPostgres, readReplication } from "../store/postgres/index.ts";
import { createSqlStore, PoolerUnsupported, readDatabaseHosts, SchemaMismatch } from "../store/index.ts";
import { Api } from "./api.ts";
import { readCellsFile } from "./cells-file.ts";
import { CLIENT_SETTINGS, type Config, type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-code.ts";
import { type Failure, type Finding, fine, unset, wrong } from "./finding.ts";
import { gatewayFindings, serverFailure } from "./gateway-findings.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { policyFindings } from "./policy-findings.ts";
import { replicationFindings } from "./replication-findings.ts";
import { findServer, type LinkOptions } from "./server-link.ts";
import { reasonOf } from "./source-file.ts";
import { isUnprepared } from "./storage.ts";
import { createPaint, oneLine } from "./terminal-text.ts";

export type DoctorOptions = LinkOptions &
  Pick<ConfigFlags, "data" | "databaseUrl" | "cells" | "port" | "host"> & { readonly json?: boolean };

/** Checks everything that a server or client on this machine needs, and explains how to fix problems. */
export async function doctor(io: Io, options: DoctorOptions): Promise<number> {
  const config = readConfig(io, options, [...CLIENT_SETTINGS, ...HOST_SETTINGS.filter((name) => name !== "adminKey")]);
  const server = new DataDirectory(config.data).readServer();
  const findings = [
    // The program does not start on a version of Node that is too old.
    fine("node", `Node ${process.versions.node}`),
    dataDirectory(config),
    ...(config.databaseUrl === undefined ? [] : await database(config.databaseUrl, "DATABASE_URL")),
    ...(config.cells === undefined ? [] : await databasesOfCells(io, config.cells)),
    // When a Sluice server of this directory is running, it may use the port.
    ...(server?.isAlive === true ? [] : [await freePort(config)]),
    ...(await serverFindings(io, options)),
    ...models(io),
    ...(await nativeAdapters(io)),
  ];
  const failures = findings.filter((finding): finding is Failure => finding.ok === false);
  const shown = findings.map(({ check, ok, detail, fix }) => ({
    check,
    ok,
    detail,
    ...(fix === undefined ? {} : { fix }),
  }));
  if (options.json === true) printJson(io, { ok: failures.length === 0, findings: shown });
  else print(io, findings);
  const [code = EXIT.fine, ...others] = new Set(failures.map(({ exitCode }) => exitCode));
  return others.length === 0 ? code : EXIT.runFailed;
}

function dataDirectory({ data }: Config): Finding {
  let nearest = data;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return fine("data directory", nearest === data ? data : `${data} can be created`);
  } catch (thrown) {
    return wrong(
      "data directory",
      `${data}: ${reasonOf(thrown)}`,
      "choose one you may write to with --data or SLUICE_DATA",
    );
  }
}

/** Checks the database of every cell and of a separate directory. */
async function databasesOfCells(io: Io, file: string): Promise<readonly Finding[]> {
  const { cells, directory } = await readCellsFile(io, file);
  const found = await Promise.all(
    [...new Set([...cells, directory])].map(async ({ name, url }) =>
      (await database(url, `the url of ${name} in ${file}`)).map((finding) => ({
        ...finding,
        check: `${name} ${finding.check}`,
      })),
    ),
  );
  return found.flat();
}

/** `origin`: where the URL comes from. */
async function database(url: string, origin: string): Promise<readonly Finding[]> {
  const sql = openPostgres({ url, connections: 2 });
  const store = createSqlStore(sql);
  try {
    await sql.checkPooler();
    await store.ping();
    const found = fine("database", "it answers, and its schema is current");
    return [found, ...replicationFindings(await readReplication(url))];
  } catch (thrown) {
    const found = wrong("database", reasonOf(thrown), databaseFix(thrown, origin));
    return [found, ...(isSeveral(url) ? replicationFindings(await readReplication(url)) : [])];
  } finally {
    await store.close().catch(() => undefined);
  }
}

/** True when the URL names several hosts. A failure is then easier to find when each host is shown. */
function isSeveral(url: string): boolean {
  return readDatabaseHosts(url).length > 1;
}

function databaseFix(thrown: unknown, origin: string): string {
  if (thrown instanceof PoolerUnsupported) return "pooler_unsupported: change the settings of the pooler as described";
  if (thrown instanceof SchemaMismatch || isUnprepared(thrown)) return "run `sluice migrate`";
  return `check ${origin}, and that the database is up and accepts connections from this machine`;
}

function freePort({ port, host }: Config): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) =>
      resolve(wrong("port", `${host}:${port}: ${reasonOf(error)}`, "choose another with --port")),
    );
    probe.listen(port, host, () => probe.close(() => resolve(fine("port", `${host}:${port} is free`))));
  });
}

async function serverFindings(io: Io, options: DoctorOptions): Promise<readonly Finding[]> {
  const link = findServer(io, options);
  if (link === null) return [unset("server", NO_SERVER, "start one with `sluice up`, or set SLUICE_URL")];
  const api = new Api(link);
  try {
    const { label, organisation } = await api.getSession();
    const found = fine("server", `${link.url} answers and accepts the key (${label} of ${organisation})`);
    return [found, ...(await gatewayFindings(api)), ...(await policyFindings(api))];
  } catch (thrown) {
    return [serverFailure("server", link.url, thrown)];
  }
}

const NO_SERVER = "none is known; `sluice run` uses its own process and scripted answers";

const MODEL_KEYS = [
  ["openai", "OPENAI_API_KEY"],
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
] as const;

/** Reports missing keys as not set up. No model is required, but steps that use one would fail. */
function models({ env }: Io): readonly Finding[] {
  return MODEL_KEYS.map(([vendor, name]) => {
    if ((env[name] ?? "") !== "") return fine(`model ${vendor}`, `${name} is set`);
    return unset(`model ${vendor}`, `no key: steps on its models fail with provider_auth`, `set ${name} to use it`);
  });
}

const NATIVE_ADAPTERS = ["claude-agent", "openclaw"] as const;

/** Checks optional adapters without a configuration, which could name another SDK or gateway. */
async function nativeAdapters({ env, clock }: Io): Promise<readonly Finding[]> {
  const setup = { names: NATIVE_ADAPTERS, sections: {}, env, clock, directory: tmpdir(), script: EMPTY_SCRIPT };
  const adapters = await openAdapters({ ...setup, ledger: null });
  const findings = await Promise.all(
    adapters.map(async (adapter) => {
      const { status, message } = await adapter.checkHealth();
      const check = `adapter ${adapter.provider}`;
      const detail = `${status}${message === undefined ? "" : ` (${message})`}`;
      return status === "healthy" ? fine(check, detail) : unset(check, detail, "only needed for steps that name it");
    }),
  );
  await closeAdapters(adapters);
  return findings;
}

const SIGNS = new Map([
  [true, ["green", "✓"]],
  [false, ["red", "✗"]],
  [null, ["yellow", "–"]],
] as const);

function print(io: Io, findings: readonly Finding[]): void {
  const paint = createPaint(io.out, io.env);
  for (const { check, ok, detail, fix } of findings) {
    const [colour, sign] = SIGNS.get(ok) ?? ["red", "✗"];
    io.out.write(`${paint(colour, sign)} ${check}: ${oneLine(detail)}\n`);
    if (fix !== undefined) io.out.write(`  ${paint("cyan", ok === null ? "hint:" : "fix:")} ${oneLine(fix)}\n`);
  }
}
