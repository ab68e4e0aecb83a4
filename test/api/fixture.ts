import { createScriptedAdapter, EMPTY_SCRIPT, readScript } from "../../src/adapters/index.ts";
import { type Clock, createSystemClock } from "../../src/clock/index.ts";
import { type OpenedGateways, openGateways } from "../../src/gateway/index.ts";
import { NO_ORGANISATION_LIMITS, type OrganisationLimits } from "../../src/core/governance/index.ts";
import { DurableDriver } from "../../src/driver/index.ts";
import { AuditTrail } from "../../src/audit/index.ts";
import { createFolderObjects, createMemoryObjects, Files } from "../../src/files/index.ts";
import { ArchivePlaces, type History, openHistory } from "../../src/history/index.ts";
import { openGovernance, type OpenedGovernance } from "../../src/governance/index.ts";
import { openChildPreparer, RunLauncher } from "../../src/launch/index.ts";
import { createScriptAdapter } from "../../src/script/index.ts";
import type { SignInProvider, TokenVerifier } from "../../src/oidc/index.ts";
import { type OutboundGuard, PeerAgent } from "../../src/outbound/index.ts";
import { EventStarter } from "../../src/outside/trigger/index.ts";
import {
  adminKey,
  createApp,
  createTriggers,
  type ApiConfig,
  type App,
  type Permission,
  permissionsOf,
  type MemberRole,
} from "../../src/server/index.ts";
import { createMemoryStore, type Store, StoreUnavailable } from "../../src/store/index.ts";

export const ORG = "default";
export const OTHER_ORG = "other";
export const ADMIN = "slk_admin_of_the_first_organisation";
export const STRANGER = "slk_admin_of_another_organisation";

export const HELLO = `name: hello
args:
  who: { type: string, required: true }
  times: { type: integer, default: 1 }
steps:
  - { id: greet, command: "Say hello to \${who}" }
  - { id: thank, command: "Thank \${who}", depends_on: [greet] }
`;

/** Holds at a person's word. */
export const GATED = `name: gated
steps:
  - { id: draft, command: Draft it }
  - { id: decide, approval: required, depends_on: [draft] }
  - { id: publish, command: Publish it, depends_on: [decide] }
`;

/** One node that never ends by itself. */
export const ENDLESS = `name: endless
steps:
  - { id: wait, command: Wait }
`;

export const FAILING = `name: failing
steps:
  - { id: first, command: Begin }
  - { id: broken, command: Break, depends_on: [first] }
`;

export const SCRIPT = `default: echo
nodes:
  endless/wait: [{ hang: true }]
  failing/broken: [{ fail: provider_auth }, { stdout: fixed }]
`;

export interface Api {
  readonly app: App;
  readonly store: Store;
  readonly runtime: DurableDriver;
  readonly gateways: OpenedGateways;
  readonly governance: OpenedGovernance;
  readonly audit: AuditTrail;
  readonly files: Files;
  readonly history: History;
  readonly troubles: string[];
  /** A request with the admin's key unless another is given; a plain object is sent as JSON. */
  ask(method: string, path: string, options?: AskOptions): Promise<Response>;
  /** The same, and the answer read. */
  request(method: string, path: string, options?: AskOptions): Promise<Answer>;
  key(permissions: readonly Permission[] | MemberRole, more?: { readonly agent?: string }): Promise<string>;
  save(source: string): Promise<void>;
  /** Starts a run and waits until nothing moves in it any more. */
  run(workflow: string, args?: object): Promise<string>;
  settle(runId: string): Promise<string>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Whatever was said: tests look at it as they need. */
  readonly body: ReturnType<typeof JSON.parse>;
}

const LOOKS_AT_ONCE = 20;
const LOOK_EVERY_MS = 10;

let made = 0;

export interface ApiParts {
  /** Nothing runs in this process: everything goes to the gateways that are registered. */
  readonly isRemote?: boolean;
  /** Where Bridges reach it, for tests that listen. */
  readonly publicUrl?: () => string;
  /** Tokens of an issuer are taken beside keys. */
  readonly verifier?: TokenVerifier;
  /** Where people sign in. */
  readonly signIn?: readonly SignInProvider[];
  /** What the store takes for database time. */
  readonly now?: () => number;
  /** The time of everything in it, the store included; the machine's otherwise. */
  readonly clock?: Clock;
  /** Runs a key may start; unless given, as many as it likes. */
  readonly startRate?: { readonly count: number; readonly perSeconds: number };
  /** What organisations may take; unless given, as much as they like. */
  readonly limits?: Partial<OrganisationLimits>;
  /** Which URLs may be saved and called; any otherwise. */
  readonly outbound?: OutboundGuard;
  /** Default: one in memory. */
  readonly store?: Store;
  /** The folder that folders of archives are in, and the content of files. */
  readonly archives?: string;
  /** Seals what must be read again; the installation's own key otherwise. */
  readonly secretKey?: string;
}

/** Goes as fast as the machine's, from noon of a Wednesday: for tests of what is counted by the hour or the day. */
export function createNoonClock(): Clock {
  const clock = createSystemClock();
  const aheadMs = Date.UTC(2026, 10, 18, 12, 1) - clock.now();
  return { ...clock, now: () => clock.now() + aheadMs };
}

export async function createApi(config: Partial<ApiConfig> = {}, script = SCRIPT, parts: ApiParts = {}): Promise<Api> {
  const { isRemote = false, verifier, startRate, outbound, publicUrl = () => "http://127.0.0.1:1" } = parts;
  const limits = { ...NO_ORGANISATION_LIMITS, ...parts.limits };
  const troubles: string[] = [];
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const { clock = createSystemClock() } = parts;
  const store = parts.store ?? createMemoryStore({ now: parts.now ?? (() => clock.now()) });
  const now = config.now ?? (() => clock.now());
  const audit = new AuditTrail({ store, now });
  const { archives } = parts;
  const objects = archives === undefined ? createMemoryObjects() : createFolderObjects(`${archives}/objects`);
  const files = new Files({ store, objects, secretKey: null, now });
  const places = new ArchivePlaces({ root: archives ?? "archives", isAnywhere: false, bucket: null });
  const forgetMemories = () => governance.governor.memories.refreshAll(governance.registered);
  const history = openHistory({ store, files, audit, places, forgetMemories, now });
  const local = isRemote ? null : { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const gateways = await openGateways({
    store,
    clock,
    secretKey: parts.secretKey ?? null,
    local,
    outbound: outbound ?? null,
    onTrouble,
  });
  const { directory, tickets } = gateways;
  const agent = new PeerAgent(outbound);
  const governance = openGovernance({
    store,
    directory,
    clock,
    isAlone: true,
    startRate: startRate ?? null,
    limits: () => limits,
    onTrouble,
  });
  const runtime: DurableDriver = new DurableDriver({
    store,
    clock,
    onEvent: (event) => starter.start(event),
    children: () =>
      openChildPreparer({ store, runtime: () => runtime, governor: governance.governor, now: () => clock.now() }),
    adapters: [
      createScriptedAdapter({ script: readScript(script).script ?? EMPTY_SCRIPT, clock }),
      createScriptAdapter({ clock }),
    ],
    judge: governance.governor,
    maxOpenRuns: () => limits.openRuns,
    ...(isRemote ? { remote: { directory, tickets, agent, publicUrl } } : {}),
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    // Runs of tests that never end are left as they are.
    drainMs: 0,
    onTrouble,
  });
  const triggers = createTriggers({ store, runtime, launcher: new RunLauncher({ store, runtime, governance }) });
  const starter = new EventStarter({ store, starter: triggers });
  for (const [org, secret] of [
    [ORG, ADMIN],
    [OTHER_ORG, STRANGER],
  ] as const) {
    await store.ensureOrganisation(org);
    await store.putKey(adminKey(org, secret, Date.now()));
  }
  await runtime.start();
  const rooms = { store, runtime, gateways, governance, audit, files, history };
  const app = createApp({
    ...rooms,
    ...(verifier === undefined ? {} : { verifier }),
    ...(parts.signIn === undefined ? {} : { signIn: parts.signIn }),
    config: { onTrouble, streamsPerOrganisationMax: () => limits.streams ?? Infinity, ...config, now },
  });
  const api: Api = {
    app,
    ...rooms,
    troubles,
    async ask(method, path, { key = ADMIN, body, headers = {} } = {}) {
      const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
      return app.request(path.startsWith("/") ? path : `/api/v1/${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
        ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
      });
    },
    async request(method, path, options) {
      const response = await api.ask(method, path, options);
      const text = await response.text();
      const isJson = text !== "" && /\bjson\b/.test(response.headers.get("content-type") ?? "");
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    async key(permissions, more = {}) {
      made += 1;
      const secret = `slk_key_number_${made}`;
      const base = adminKey(ORG, secret, Date.now());
      const list = typeof permissions === "string" ? permissionsOf(permissions) : permissions;
      const about = { label: `key ${made}`, agentId: more.agent ?? null, createdBy: "key_maker", isNamed: true };
      await store.putKey({ ...base, ...about, permissions: list });
      return secret;
    },
    async save(source) {
      const name = /^name: (\S+)/m.exec(source)?.[1] ?? "";
      const { status, body } = await api.request("PUT", `workflows/${name}`, { body: { source } });
      if (status > 201) throw new Error(`not saved: ${JSON.stringify(body)}`);
    },
    async run(workflow, args = {}) {
      const { status, body } = await api.request("POST", "runs", { body: { workflow, args } });
      if (status !== 201) throw new Error(`not started: ${JSON.stringify(body)}`);
      await api.settle(body.id);
      return body.id;
    },
    async settle(runId) {
      for (let looks = 0; ; looks += 1) {
        const { body } = await api.request("GET", `runs/${runId}/state`);
        const isResting = body.isPaused || !["queued", "running"].includes(body.status);
        if (isResting) return body.status;
        // Most runs end at once; looking all the time would only slow down those that take a while.
        await new Promise((resolve) => {
          if (looks < LOOKS_AT_ONCE) setImmediate(resolve);
          else setTimeout(resolve, LOOK_EVERY_MS);
        });
      }
    },
    async close() {
      app.close();
      await runtime.stop();
      agent.close();
    },
  };
  return api;
}
