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
import { closeEach } from "./closing.ts";
import { readConsoleConnect } from "./console-connect.ts";
import { openClock } from "./database-clock.ts";
import { type Engine, openEngine } from "./engine.ts";
import type { Io } from "./io.ts";
import type { LimitsOf } from "./limits.ts";
import { type Log, troublesIn } from "./log.ts";
import { listIn } from "./outbound.ts";
import { Refusal } from "./refusal.ts";
import { logRuns } from "./run-log.ts";
import { reasonOf } from "./source-file.ts";
import type { Siblings } from "./siblings.ts";
import type { Storage } from "./storage.ts";
import { readTelemetry } from "./telemetry.ts";
import { printable } from "./terminal-text.ts";
import { readVersion } from "./version.ts";

/** Everything of a server, in this process. */
export interface Host {
  /** Where people reach it. */
  readonly url: string;
  /** Where this process reaches it. */
  readonly localUrl: string;
  /** An address that opens the console with this key, once; null when there is no console. */
  readonly signInUrl: (secret: string) => string | null;
  /** Takes nothing new, finishes what is being written, and releases the database. */
  close(): Promise<void>;
}

/** All of a server over one store, but the socket. */
export interface HostPart {
  readonly app: App;
  readonly runtime: DurableDriver;
  /** Drives runs from now on; `url` is where people and Bridges reach the server. */
  begin(url: string): Promise<void>;
  close(): Promise<void>;
}

/** What a part must know when it is one of several. */
export interface CellLinks {
  readonly driver: Pick<DurableDriverOptions, "replicaId" | "isOpenElsewhere" | "onGone">;
  readonly operations: CellOperations;
  /** Whether this one records in the audit that the server has started. */
  readonly notesStart: boolean;
}

export interface HostParts {
  /** Set where the installation has cells. */
  readonly cell?: CellLinks;
  readonly config: Config;
  /** The issuer whose tokens are taken beside keys; null: none. */
  readonly oidc: OidcSettings | null;
  /** Where people sign in to the console. */
  readonly signIn: readonly SignInSettings[];
  readonly storage: Storage;
  /** The Bridge in this process. */
  readonly bridge: BridgeParts;
  readonly log: Log;
  /** Which addresses the server calls for its organisations. */
  readonly outbound: OutboundGuard;
  readonly hasConsole: boolean;
  /** Runs may be archived to any folder of this machine, not only to those set apart for it. */
  readonly archivesAnywhere: boolean;
  /** The processes that serve the port with this one; null: it serves alone. */
  readonly siblings?: Siblings | null;
  /** What organisations may take. */
  readonly limits: LimitsOf;
  /** Runs a key may start; null: as many as it likes. */
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
}

/** As the operator set it, else so many a minute; 0: no limit. */
export function startRateOf({ startRate }: Pick<Config, "startRate">, otherwise: number): HostParts["startRate"] {
  const count = startRate ?? otherwise;
  return count === 0 ? null : { count, perSeconds: 60 };
}

/** Beside the program once both are built; the same place from the sources. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL("../../dist/console", import.meta.url));

/** Driver, Bridge and API over one store, which is theirs from here on; without a socket, and not yet begun. */
export async function openHostPart(machine: Io, parts: HostParts): Promise<HostPart> {
  const { config, oidc, storage, log, siblings = null } = parts;
  const { store } = storage;
  const onTrouble = troublesIn(log);
  const clock = await openClock(machine, storage, onTrouble);
  const io: Io = { ...machine, clock };
  const traced = readTelemetry(io, log);
  const consoleConnect = readConsoleConnect(io);
  const engine = await openEngine(io, parts, onTrouble);
  const { gateways, governance, agent, runtime, objects } = engine;
  // The issuer is the operator's own choice, so that no guard stands before it.
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
      ...(siblings === null ? {} : { together: (path) => siblings.together(path) }),
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
    try {
      await startEngine(engine, clock.now(), parts.cell?.notesStart ?? true);
    } catch (thrown) {
      gateways.stop();
      engine.work.workers.stop();
      governance.stop();
      await telemetry?.stop();
      throw thrown;
    }
    const around = { publicUrl: url, slackUrl: config.slackUrl ?? null, clock, onTrouble };
    background = startBackground(parts.log, engine, app, around);
  };
  // One part that cannot end in order, such as a database that is away, keeps no other from ending.
  const close = (): Promise<void> =>
    closeEach([
      () => background?.stop(),
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

/** Everything over one store, behind a socket. */
export async function startHost(machine: Io, parts: HostParts): Promise<Host> {
  const part = await openHostPart(machine, parts);
  const { url, localUrl, server } = await listenFor(part.app, parts.config);
  try {
    await part.begin(url);
  } catch (thrown) {
    await server.close(0);
    throw thrown;
  }
  return {
    url,
    localUrl,
    signInUrl: (secret) => addressOf(url, part.app.signInPath(secret)),
    close: () => closeEach([() => server.close(), () => part.close(), () => closeAdapters([...parts.bridge.adapters])]),
  };
}

/** Where people reach it, and where this process does. */
export async function listenFor(app: Parameters<typeof serve>[0]["app"], config: Config) {
  const server = await listen(app, config);
  const localUrl = urlOf(config.host, server.port);
  return { server, localUrl, url: config.publicUrl ?? localUrl };
}

/** The audit records which version decides what follows. */
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

/** What the server is, where it is reached, and with which pages. */
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

/** An address for people: one that means every interface is none they could open. */
function urlOf(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
