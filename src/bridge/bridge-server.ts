import { createServer } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Redactor } from "../core/redaction/index.ts";
import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { PeerAgent, requestPeer } from "../outbound/index.ts";
import { createBridgeApp } from "./bridge-app.ts";
import { Deliveries } from "./deliveries.ts";
import { Executions } from "./executions.ts";
import { Journal } from "./journal.ts";
import { closeServer, listen } from "./listening.ts";
import { Outbox } from "./outbox.ts";
import type { Send } from "./peer-send.ts";
import { modelsOf, turnsOf } from "./adapter-models.ts";
import { secretsOf } from "./adapter-secrets.ts";
import { remoteFiles } from "./remote-files.ts";
import { Registrar } from "./registrar.ts";
import type { Registration } from "./wire.ts";

export interface BridgeOptions {
  /** The adapters. The caller initialises them and shuts them down. */
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly host: string;
  /** The port to listen on. 0 selects any free port. */
  readonly port: number;
  /** Directory for the outbox and the journal. Only one Bridge may use it at a time. */
  readonly dataDirectory: string;
  /** Token used in both directions with the server until registration provides better tokens. */
  readonly joinToken: string;
  readonly instanceId: string;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** The server to register with, and the registration data. When absent, the Bridge accepts the join token from any caller. */
  readonly register?: {
    readonly server: string;
    readonly id: string;
    readonly name?: string;
    readonly environment?: string;
    readonly capabilities?: readonly string[];
    /** The provider for nodes that name none. */
    readonly defaultProvider?: string;
    /** The address at which the server reaches this Bridge. Default: the address it listens on. */
    readonly publicUrl?: string;
  };
  readonly redactor?: Redactor;
  readonly openMax?: number;
  readonly callbackOrigins?: readonly string[];
  readonly onTrouble?: (message: string) => void;
  /** Called when the server refuses the registration. The Bridge then receives no work and should be ended. */
  readonly onRefused?: (message: string) => void;
}

export interface RunningBridge {
  readonly url: string;
  readonly port: number;
  readonly instanceId: string;
  readonly isRegistered: () => boolean;
  /** Accepts no new dispatches, waits for running executions and delivers their results. The next start continues the rest. */
  close(graceMs?: number): Promise<void>;
}

const GRACE_MS = 5_000;

export async function startBridge(options: BridgeOptions): Promise<RunningBridge> {
  const { clock, dataDirectory, joinToken, instanceId, random: jitter, host } = options;
  const trouble = options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble };
  const redaction = options.redactor === undefined ? {} : { redactor: options.redactor };
  const agent = new PeerAgent();
  const send: Send = (url, request) => requestPeer(url, { ...request, agent });
  const outbox = new Outbox({ directory: join(dataDirectory, "outbox"), clock, ...trouble });
  const journal = new Journal({ directory: dataDirectory, now: clock.now() });
  const executions = new Executions({
    adapters: options.adapters,
    clock,
    archive: outbox,
    journal,
    filesOf: ({ filesUrl }, signal) =>
      filesUrl === undefined ? undefined : remoteFiles(filesUrl, { agent, clock, signal }),
    ...redaction,
  });
  let registrar: Registrar | null = null;
  const token = (): string => registrar?.callbackToken() ?? joinToken;
  const deliveries = new Deliveries({ clock, outbox, send, token, jitter, ...trouble });
  const app = createBridgeApp({
    executions,
    deliveries,
    clock,
    instanceId,
    tokens: () => registrar?.dispatchTokens() ?? [joinToken],
    onUnknownToken: () => registrar?.registerNow(),
    ...(options.openMax === undefined ? {} : { openMax: options.openMax }),
    ...(options.register?.defaultProvider === undefined ? {} : { defaultProvider: options.register.defaultProvider }),
    callbackOrigins: () => options.callbackOrigins ?? registrar?.callbackOrigins() ?? null,
    ...redaction,
    ...trouble,
  });
  const server = await listen(createServer(getRequestListener(app.fetch)), options.port, host);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (options.register !== undefined) {
    const registration = registrationOf(options, options.register, url);
    const onTokens = (): void => deliveries.wake();
    const { server: at } = options.register;
    const refused = options.onRefused === undefined ? {} : { onRefused: options.onRefused };
    const parts = { server: at, joinToken, registration, clock, send, jitter, onTokens };
    registrar = new Registrar({ ...parts, ...trouble, ...refused });
    // The first deliveries use the token from the registration. When the server is not reachable, they do not wait for it.
    void registrar.start().then(() => deliveries.resume());
  } else deliveries.resume();
  const close = async (graceMs = GRACE_MS): Promise<void> => {
    const deadline = clock.now() + graceMs;
    app.stop();
    await executions.stop(graceMs);
    await deliveries.close(Math.max(0, deadline - clock.now()));
    await registrar?.close();
    await closeServer(server, Math.max(0, deadline - clock.now()));
    agent.close();
  };
  return { url, port, instanceId, isRegistered: () => registrar?.isRegistered ?? false, close };
}

function registrationOf(
  { instanceId, clock, adapters }: BridgeOptions,
  register: NonNullable<BridgeOptions["register"]>,
  url: string,
): Registration {
  const { id, name, environment, capabilities = [], defaultProvider, publicUrl, server } = register;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(environment === undefined ? {} : { environment }),
    url: publicUrl ?? url,
    instanceId,
    instanceStartedAt: new Date(clock.now()).toISOString(),
    capabilities: [...capabilities],
    providers: adapters.map(({ provider }) => provider),
    models: modelsOf(adapters),
    turns: turnsOf(adapters),
    secrets: secretsOf(adapters),
    server,
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
  };
}
