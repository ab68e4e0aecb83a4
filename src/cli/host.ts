import { fileURLToPath } from "node:url";
import { auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { closeAdapters } from "../adapters/index.ts";
import { type OidcSettings, SignInProvider, type SignInSettings, TokenVerifier } from "../oidc/index.ts";
import { type OutboundGuard, PeerAgent } from "../outbound/index.ts";
import { nextSlots } from "../outside/schedule/index.ts";
import type { DurableDriver, DurableDriverOptions } from "../driver/index.ts";
import { type App, type CellOperations, createApp, serve } from "../server/index.ts";
import { startTelemetry } from "../outside/telemetry/index.ts";
import { type Background, startBackground } from "./background.ts";
import type { BridgeParts } from "./bridge-parts.ts";
import { type Config, DEFAULT_ORGANISATION } from "./config.ts";
import { closeEach, closeOnFailure } from "./closing.ts";
import { readConsoleConnect } from "./console-connect.ts";
import { openClock } from "./database-clock.ts";
import { type Engine, openEngine } from "./engine.ts";
import type { Io } from "./io.ts";
import type { LimitsOf } from "./limits.ts";
import { type Log, troubleLogger } from "./log.ts";
import { listIn } from "./outbound.ts";
import { Refusal } from "./refusal.ts";
import { logRuns } from "./run-log.ts";
import { reasonOf } from "./source-file.ts";
import type { Siblings } from "./siblings.ts";
import type { Storage } from "./storage.ts";
import { readTelemetry } from "./telemetry.ts";
import { printable } from "./terminal-text.ts";
import { readVersion } from "./version.ts";

/** A complete server in this process. */
export interface Host {
  /** The address for people. */
  readonly url: string;
  /** The address for this process. */
  readonly localUrl: string;
  /** Returns an address that opens the console once with this key. Null when there is no console. */
  readonly signInUrl: (secret: string) => string | null;
  /** Accepts no new requests, completes pending writes, and closes the database. */
  close(): Promise<void>;
}

/** All parts of a server over one store, except the socket. */
export interface HostPart {
  readonly app: App;
  readonly runtime: DurableDriver;
  /** Starts to drive runs. `url` is the address for people and Bridges. After a failure the part must be closed. */
  begin(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Additional options of a host part in a server with cells. */
export interface CellLinks {
  readonly driver: Pick<DurableDriverOptions, "replicaId" | "isOpenElsewhere" | "onGone">;
  readonly operations: CellOperations;
  /** True when this part records the start of the server in the audit log. */
  readonly notesStart: boolean;
}

export interface HostParts {
  /** Present only in an installation with cells. */
  readonly cell?: CellLinks;
  readonly config: Config;
  /** The issuer whose tokens are accepted in addition to keys. Null when there is none. */
  readonly oidc: OidcSettings | null;
  /** The providers at which people sign in to the console. */
  readonly signIn: readonly SignInSettings[];
  readonly storage: Storage;
  /** The parts of the Bridge in this process. */
  readonly bridge: BridgeParts;
  readonly log: Log;
  /** Decides which addresses the server may call for its organisations. */
  readonly outbound: OutboundGuard;
  readonly hasConsole: boolean;
  /** True when runs may be archived to any folder of this machine, not only to the archive folder. */
  readonly archivesAnywhere: boolean;
  /** The processes that share the port with this one. Null when there are none. */
  readonly siblings?: Siblings | null;
  /** Returns the limits of an organisation. */
  readonly limits: LimitsOf;
  /** Maximum number of runs that a key may start in a period. Null when there is no limit. */
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
}

/** Returns the rate set by the operator, else the default, in runs per minute. 0 means no limit. */
export function startRateOf({ startRate }: Pick<Config, "startRate">, otherwise: number): HostParts["startRate"] {
  const count = startRate ?? otherwise;
  return count === 0 ? null : { count, perSeconds: 60 };
}

/** Folder of the built console. The path is the same from the built program and from the sources. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL("../../dist/console", import.meta.url));

/** Opens driver, Bridge and API over one store, which they close later. Opens no socket and does not start them. */
export async function openHostPart(machine: Io, parts: HostParts): Promise<HostPart> {
  const { config, oidc, storage, log, siblings = null } = parts;
  const { store } = storage;
  const onTrouble = troubleLogger(log);
  const traced = readTelemetry(machine, log);
  const consoleConnect = readConsoleConnect(machine);
  const clock = await openClock(machine, storage, onTrouble);
  const engine = await openEngine({ ...machine, clock }, parts, onTrouble).catch((thrown: unknown) => {
    clock.stop();
    throw thrown;
  });
  const { gateways, governance, agent, runtime, objects } = engine;
  // The operator chose the issuer, so requests to it need no outbound guard.
  const issuers = new PeerAgent();
  const stopLogging = logRuns(engine.runtime, log);
  const telemetry = traced === null ? null : startTelemetry({ store, runtime, clock, onTrouble, ...traced });
  const app = createApp({
    ...engine,
    cells: parts.cell?.operations ?? null,
    signIn: parts.signIn.map((settings) => new SignInProvider({ settings, agent })),
    verifier: oidc === null ? null : new TokenVerifier({ ...oidc, now: () => clock.now(), agent: issuers, onTrouble }),
    config: {
      ...reachOf(parts),
      consoleConnect,
      ...(siblings === null ? {} : { allProcesses: (path) => siblings.answersOfAll(path) }),
      nextSlots,
      now: () => clock.now(),
      clockSkewMs: () => clock.skewMs,
      ...(telemetry === null ? {} : { spanFigures: () => telemetry.figures() }),
      onTrouble,
    },
  });
  if (siblings !== null) siblings.own = (path) => app.own(path);
  let background: Background | null = null;
  const begin = async (url: string): Promise<void> => {
    gateways.publicUrl = url;
    await startEngine(engine, clock.now(), parts.cell?.notesStart ?? true);
    const around = { publicUrl: url, slackUrl: config.slackUrl ?? null, clock, onTrouble };
    background = startBackground(parts.log, engine, app, around);
  };
  // A part that fails to close, for example because a database is unavailable, does not stop the others from closing.
  const close = (): Promise<void> =>
    closeEach([
      // Without background services, the start of the engine failed, perhaps after the start of the runtime.
      () => (background ?? runtime).stop(),
      () => telemetry?.stop(),
      () => gateways.stop(),
      () => engine.work.workers.stop(),
      () => governance.stop(),
      () => agent.close(),
      () => objects.close(),
      () => issuers.close(),
      () => closeAdapters([engine.scripts]),
      stopLogging,
      () => clock.stop(),
      () => store.close(),
    ]);
  return { app, runtime, begin, close };
}

/** Starts a server over one store, with its socket. */
export async function startHost(machine: Io, parts: HostParts): Promise<Host> {
  const part = await openHostPart(machine, parts);
  const { url, localUrl, server } = await closeOnFailure(listenFor(part.app, parts.config), () => part.close());
  await closeOnFailure(part.begin(url), () => closeEach([() => server.close(0), () => part.close()]));
  return {
    url,
    localUrl,
    signInUrl: (secret) => addressOf(url, part.app.signInPath(secret)),
    close: () => closeEach([() => server.close(), () => part.close(), () => closeAdapters([...parts.bridge.adapters])]),
  };
}

/** Starts to listen. Returns the address for people and the one for this process. */
export async function listenFor(app: Parameters<typeof serve>[0]["app"], config: Config) {
  const server = await listen(app, config);
  const localUrl = urlOf(config.host, server.port);
  return { server, localUrl, url: config.publicUrl ?? localUrl };
}

/** Starts the engine. The audit log records the version, because that version makes all later decisions. */
async function startEngine(engine: Engine, at: number, isNoted: boolean): Promise<void> {
  const { gateways, governance, runtime, store, work } = engine;
  gateways.start();
  work.workers.start();
  governance.start();
  await runtime.start();
  if (!isNoted) return;
  const detail = { version: readVersion(), node: process.versions.node };
  const about = { type: "server.started", actor: ENGINE_ACTOR, resource: "organisation/server" } as const;
  await store.appendAudit(DEFAULT_ORGANISATION, [auditEntry({ at, ...about, detail })]);
}

export function addressOf(url: string, path: string | null): string | null {
  return path === null ? null : `${url}${path}`;
}

/** Returns the part of the configuration about version, addresses, console and limits. */
function reachOf({ config, hasConsole, limits }: HostParts) {
  return {
    streamsPerOrganisationMax: (orgId: string) => limits(orgId).streams ?? Infinity,
    version: readVersion(),
    publicUrl: config.publicUrl ?? null,
    hosts: [config.host, ...listIn(config.allowHost ?? "")],
    consoleDirectory: hasConsole ? CONSOLE_DIRECTORY : null,
    approvers: config.approvers ?? "enforced",
  };
}

async function listen(app: Parameters<typeof serve>[0]["app"], { port, host }: Config) {
  try {
    return await serve({ app, port, host });
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (code === "EADDRINUSE")
      throw new Refusal(`port ${port} is in use: choose another with --port, or --port 0 for any`);
    if (code === "EACCES") throw new Refusal(`port ${port} may not be used here: choose one above 1023 with --port`);
    throw new Refusal(`cannot listen on ${host}:${port}: ${printable(reasonOf(thrown))}`);
  }
}

/** Returns an address that a browser can open. An address for all interfaces is replaced by the local one. */
function urlOf(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
