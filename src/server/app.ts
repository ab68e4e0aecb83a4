import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { ApprovalTickets } from "../outside/channel/index.ts";
import { RunLauncher, RunRelauncher } from "../launch/index.ts";
import { openWork } from "../work/index.ts";
import { StoreUnavailable } from "../store/index.ts";
import type { AppOptions } from "./app-options.ts";
import { lacking, requireSignedInPerson } from "./auth.ts";
import { Refusals } from "./audit-note.ts";
import { JSON_TYPE, parseJson, readBody } from "./body.ts";
import { openCallers } from "./authenticator.ts";
import { type ApiConfig, DEFAULT_CONFIG } from "./config.ts";
import { ConsoleFiles } from "./console.ts";
import { credentialOf, organisationOf } from "./credentials.ts";
import { HookFailures } from "./hook-failures.ts";
import { openMcp } from "./mcp-routes.ts";
import { memberAnswerers } from "./member-answerers.ts";
import { KnownHosts } from "./known-hosts.ts";
import { Metrics } from "./metrics.ts";
import { type OpenRoute, ownAnswer } from "./open-routes.ts";
import { openStreams } from "./open-streams.ts";
import { ownHistory } from "./own-history.ts";
import { ownSecrets } from "./own-secrets.ts";
import { problemResponse, Refused } from "./problem.ts";
import type { Call, Route, Services } from "./route.ts";
import { ROUTES } from "./route-table.ts";
import { SessionTickets } from "./session-tickets.ts";
import { readQuery, readShape } from "./shape.ts";
import { refusedFor } from "./refused-for.ts";
import { senderOf } from "./sender.ts";
import { SignIn } from "./sign-in.ts";
import type { OwnAnswer, SharedPath } from "./process-answers.ts";
import { createTriggers } from "./trigger-lookup.ts";
import { UNKEYED_ROUTES } from "./unkeyed-routes.ts";

/** The API in this process: over a socket with `serve`, without one by `request`. */
export interface App {
  readonly fetch: Hono<Env>["fetch"];
  readonly request: Hono<Env>["request"];
  /** Returns a path that signs in the first browser to open it with this key; null when there is no console. */
  readonly signInPath: (secret: string) => string | null;
  /** How many streams are open, and how many runs they watch. */
  readonly streams: () => { readonly open: number; readonly watchedRuns: number };
  /** Ends the streams of an organisation that moved to another cell, where clients continue them. */
  readonly endStreams: (orgId: string) => void;
  /** Returns the answer of this process alone, where several processes serve one port. */
  readonly own: (path: SharedPath) => Promise<OwnAnswer>;
  /** Counts an alert that fired, for the metrics. */
  readonly countAlert: (on: string) => void;
  /** Ends all streams and stops listening to the driver. Requests are still answered. */
  readonly close: () => void;
}

interface Env {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { requestId: string; route: string };
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Valid names in a path: printable text that a database can compare. */
const NAME = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u;
const NO_BODY = new TextEncoder().encode("{}");

export function createApp({
  store,
  runtime,
  gateways,
  governance,
  audit,
  config: given,
  launcher = new RunLauncher({ store, runtime, governance }),
  verifier = null,
  files,
  secrets,
  work,
  history,
  signIn = [],
  cells = null,
}: AppOptions): App {
  const config: ApiConfig = { ...DEFAULT_CONFIG, ...given };
  const metrics = new Metrics();
  const { tail, reports, streams, ends } = openStreams(store, runtime, config);
  const refusals = new Refusals();
  const callers = openCallers({ store, config, refusals, verifier });
  const hookFailures = new HookFailures();
  const services: Services = {
    store,
    runtime,
    gateways,
    governance,
    ...ownHistory({ store, audit, files, history, now: config.now }),
    secrets: secrets ?? ownSecrets(store, gateways, config.now),
    config,
    metrics,
    streams,
    ends,
    ...callers,
    signIn: new SignIn(signIn),
    launcher,
    triggers: createTriggers({ store, runtime, launcher }),
    relauncher: new RunRelauncher({ store, runtime, governance }),
    sessionTickets: new SessionTickets(config.now),
    work: work ?? openWork({ store, onTrouble: config.onTrouble }),
    pages: config.consoleDirectory === null ? null : ConsoleFiles.open(config.consoleDirectory, config.consoleConnect),
    cells,
    refusals,
    hookFailures,
    answerers: memberAnswerers(store, callers.people),
    approvalTickets: new ApprovalTickets(store),
  };
  const stopCounting = runtime.onCommitted((runId, events) => metrics.countEvents(runId, events));
  const hono = openHono(services);
  const mcp = openMcp(config, callers.callers, (request) => hono.fetch(request));
  addRoutes(hono, services, [...UNKEYED_ROUTES, ...mcp.routes]);
  return {
    fetch: hono.fetch,
    request: hono.request,
    signInPath: (secret) => (services.pages === null ? null : services.sessionTickets.issue(secret)),
    streams: () => ({ open: streams.size, watchedRuns: tail.watchedCount }),
    endStreams: (orgId) => streams.endOf(orgId),
    own: (path) => ownAnswer(services, path),
    countAlert: (on) => metrics.countAlert(on),
    close: () => {
      stopCounting();
      services.work.queue.stop();
      hookFailures.close();
      mcp.close();
      streams.close();
      reports.close();
    },
  };
}

function openHono(services: Services): Hono<Env> {
  const hono = new Hono<Env>();
  hono.use("*", (context, next) => observe(services, context, next));
  hono.use("*", knownHosts(services.config));
  hono.onError((error, context) => answerError(services, error, context));
  hono.notFound((context) => answerMissing(services, context));
  return hono;
}

/** Answers with a page of the console, or with not found. */
function answerMissing({ pages }: Services, context: Context<Env>): Response {
  const found = pages?.answer(context.req.raw) ?? null;
  if (found !== null) {
    context.set("route", "console");
    return found;
  }
  const refused = new Refused("not_found", `There is no ${context.req.path} here; /docs lists what there is.`);
  return problemResponse(refused, context.get("requestId"));
}

function knownHosts({ hosts, publicUrl }: ApiConfig): MiddlewareHandler<Env> {
  const known = new KnownHosts(hosts, publicUrl);
  return (context, next) => {
    const host = context.req.header("host") ?? null;
    // Requests without a socket have no environment.
    const { incoming } = (context.env as Env["Bindings"] | undefined) ?? {};
    known.require({ host, path: context.req.path, localAddress: incoming?.socket.localAddress });
    return next();
  };
}

function addRoutes(hono: Hono<Env>, services: Services, unkeyed: readonly OpenRoute[]): void {
  const methods = new Map<string, string[]>();
  const add = (
    method: string,
    path: string,
    answer: (context: Context<Env>) => Promise<Response>,
    hasHead: boolean,
  ): void => {
    const at = path.replaceAll(/\{(\w+)\}/g, ":$1");
    const allowed = methods.get(at) ?? [];
    methods.set(at, [...allowed, method, ...(method === "GET" && hasHead ? ["HEAD"] : [])]);
    hono.on(method, at, (context) => {
      context.set("route", path);
      if (context.req.raw.method === "HEAD" && !hasHead) throw notAllowed("HEAD", methods.get(at) ?? []);
      return answer(context);
    });
  };
  for (const { method, path, handle, answersHead = true } of unkeyed) {
    add(
      method,
      path,
      (context) => handle(services, context.req.raw, senderOf(context.req.raw, context.env)),
      answersHead,
    );
  }
  for (const route of ROUTES) {
    add(route.method, route.path, (context) => answerRoute(route, services, context), route.answersHead);
  }
  for (const [path, allowed] of methods) {
    hono.all(path, (context) => {
      const { method } = context.req.raw;
      if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow: allowOf(allowed) } });
      throw notAllowed(method, allowed);
    });
  }
}

function allowOf(methods: readonly string[]): string {
  return [...methods, "OPTIONS"].join(", ");
}

function notAllowed(method: string, methods: readonly string[]): Refused {
  const allow = allowOf(methods);
  return new Refused("method_not_allowed", `${method} is not among ${allow}.`, { headers: { allow } });
}

/** Checks caller, permission and body in this order: the body of an unknown caller is not read. */
async function answerRoute(route: Route, services: Services, context: Context<Env>): Promise<Response> {
  const request = context.req.raw;
  const url = new URL(request.url);
  const credential = credentialOf(request, services.config.publicUrl);
  const choice = { named: organisationOf(request, url), isPersonal: route.isPersonal, isUse: true };
  const principal = await services.callers.identify(credential, choice);
  if (route.permission !== null && !principal.permissions.has(route.permission)) {
    services.refusals.note(services, principal, `${route.method} ${route.path}`);
    throw lacking(route.permission);
  }
  if (route.needsSignedInPerson) requireSignedInPerson(principal);
  const params = context.req.param() as Readonly<Record<string, string>>;
  if (!Object.values(params).every((value) => NAME.test(value))) {
    throw new Refused("not_found", "The path names nothing that could exist here.");
  }
  const query = readQuery(route.query, url.searchParams);
  const { body, raw } = await readSent(route, request);
  const outgoing = context.env?.outgoing;
  const call: Call<unknown, unknown> = {
    services,
    request,
    principal,
    params,
    query,
    body,
    raw,
    reauthenticate: () => services.callers.identify(credential, { ...choice, isUse: false }).catch(nullIfRefused),
    closeConnection: outgoing === undefined ? null : () => void outgoing.destroy(),
  };
  return route.handle(call);
}

/** Null for a refused caller. Other errors are rethrown: without issuer or database it is unknown whether a caller may stay. */
function nullIfRefused(error: unknown): null {
  if (error instanceof Refused && error.status < 500) return null;
  throw error;
}

async function readSent(route: Route, request: Request): Promise<{ body: unknown; raw: Uint8Array | null }> {
  if (route.body === null) return { body: undefined, raw: null };
  const { type, bytes } = await readBody(request, route.body);
  if (type !== JSON_TYPE) return { body: undefined, raw: bytes };
  const sent = bytes.byteLength === 0 && route.body.isOptional ? NO_BODY : bytes;
  return { body: readShape(route.body.schema, parseJson(sent)), raw: null };
}

async function observe({ metrics }: Services, context: Context<Env>, next: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const given = context.req.header("x-request-id");
  const requestId =
    given !== undefined && REQUEST_ID.test(given) ? given : `req_${randomUUID().replaceAll("-", "").slice(8)}`;
  context.set("requestId", requestId);
  context.set("route", "none");
  await next();
  context.res.headers.set("x-request-id", requestId);
  context.res.headers.set("x-content-type-options", "nosniff");
  metrics.countRequest(context.req.raw.method, context.get("route"), context.res.status, performance.now() - began);
}

function answerError({ config }: Services, error: Error, context: Context<Env>): Response {
  const requestId = context.get("requestId");
  const refused = refusedFor(error);
  if (refused !== null) return problemResponse(refused, requestId);
  const { method, path } = context.req;
  config.onTrouble(`${requestId} ${method} ${path}`, error);
  return problemResponse(error instanceof StoreUnavailable ? notReady() : internalError(), requestId);
}

function notReady(): Refused {
  return new Refused("not_ready", "The database cannot be reached.", { headers: { "retry-after": "2" } });
}

function internalError(): Refused {
  return new Refused("internal_error", "Something went wrong inside Sluice; the request id leads to it in the log.");
}
