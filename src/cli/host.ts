import { join } from "node:path";
import { closeAdapters } from "../adapters/index.ts";
import { AuditDesk, startSealer } from "../audit/index.ts";
import { DurableDriver } from "../driver/index.ts";
import { openGovernance } from "../governance/index.ts";
import { openGateways } from "../gateway/index.ts";
import { PeerAgent } from "../outbound/index.ts";
import { createApp, serve } from "../server/index.ts";
import { StoreUnavailable } from "../store/index.ts";
import type { BridgeParts } from "./bridge-parts.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import type { Storage } from "./storage.ts";
import { printable } from "./terminal-text.ts";

/** Everything of a server, in this process. */
export interface Host {
  /** Where people reach it. */
  readonly url: string;
  /** Where this process reaches it. */
  readonly localUrl: string;
  /** Takes nothing new, finishes what is being written, and lets go of the database. */
  close(): Promise<void>;
}

export interface HostParts {
  readonly config: Config;
  readonly storage: Storage;
  /** The Bridge in this process. */
  readonly bridge: BridgeParts;
  /** Runs a key may start; null: as many as it likes. */
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
}

/** Driver, Bridge and API over one store. The store is the host's from here on. */
export async function startHost(io: Io, parts: HostParts): Promise<Host> {
  const { config, storage, bridge } = parts;
  const { store } = storage;
  const { clock } = io;
  const onTrouble = (what: string, error: unknown): void => {
    io.err.write(`sluice: ${printable(what)}: ${printable(error instanceof Error ? error.message : String(error))}\n`);
  };
  const { gateways, governance, audit, agent, runtime } = await openEngine(io, parts, onTrouble);
  const app = createApp({
    store,
    runtime,
    gateways,
    governance,
    audit,
    config: { publicUrl: config.publicUrl ?? null, onTrouble },
  });
  const server = await listen(app, config);
  const localUrl = urlOf(config.host, server.port);
  const url = config.publicUrl ?? localUrl;
  gateways.publicUrl = url;
  try {
    gateways.start();
    governance.start();
    await runtime.start();
  } catch (thrown) {
    gateways.stop();
    governance.stop();
    await server.close(0);
    throw thrown;
  }
  const sealer = startSealer({ desk: audit, store, clock, onTrouble });
  return {
    url,
    localUrl,
    async close() {
      await server.close();
      await runtime.stop();
      await sealer.stop();
      gateways.stop();
      governance.stop();
      agent.close();
      await closeAdapters(bridge.adapters);
      await store.close();
    },
  };
}

/** Everything that decides and dispatches, not yet begun. */
async function openEngine(
  { env, clock }: Io,
  { config, storage, bridge, startRate }: HostParts,
  onTrouble: (what: string, error: unknown) => void,
) {
  const { store, isEmbedded } = storage;
  const { adapters, redactor, defaultProvider, answersAny } = bridge;
  const local = { providers: adapters.map(({ provider }) => provider), defaultProvider, answersAny };
  const secretKey = env["SLUICE_SECRET_KEY"] ?? "";
  const gateways = await openGateways({
    store,
    clock,
    secretKey: secretKey === "" ? null : secretKey,
    local,
    onTrouble,
  });
  const agent = new PeerAgent();
  const { directory, tickets } = gateways;
  const governance = openGovernance({ store, directory, clock, isAlone: isEmbedded, startRate, onTrouble });
  const seed = env["SLUICE_AUDIT_SEED"] ?? "";
  const audit = new AuditDesk({
    store,
    now: () => clock.now(),
    checkpointFile: join(config.data, "audit", "checkpoints.ndjson"),
    ...(seed === "" ? {} : { seed }),
  });
  const runtime = new DurableDriver({
    store,
    adapters,
    redactor,
    judge: governance.governor,
    remote: { directory, tickets, agent, publicUrl: () => gateways.publicUrl },
    clock,
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: isEmbedded,
    onTrouble,
  });
  return { gateways, governance, audit, agent, runtime };
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
