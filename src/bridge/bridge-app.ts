import { type Context, Hono } from "hono";
import type { Redactor } from "../core/redaction/index.ts";
import { isBearerAccepted } from "./bearer.ts";
import { readJsonBody, readShape } from "./bridge-body.ts";
import { askHealth } from "./bridge-health.ts";
import { BridgeRefusal } from "./bridge-problem.ts";
import { callbackText } from "./callback-text.ts";
import { type DispatchHandlerOptions, DispatchHandler } from "./dispatch-handler.ts";
import {
  DISPATCH_ALIAS,
  DISPATCH_BATCH_BYTES_MAX,
  DISPATCH_BATCH_PATH,
  DISPATCH_BYTES_MAX,
  DISPATCH_PATH,
  DISPATCH_SYNC_PATH,
  dispatchBatchSchema,
  EXECUTIONS_PATH,
} from "./wire.ts";

export interface BridgeAppOptions extends DispatchHandlerOptions {
  /** Returns the bearer tokens accepted now. Called for each request, because they change. */
  readonly tokens: () => readonly string[];
  readonly instanceId: string;
  readonly redactor?: Redactor;
  readonly onTrouble?: (message: string) => void;
  /** Called when a request has a token that is not accepted. */
  readonly onUnknownToken?: () => void;
}

/** The API of a Bridge in this process. */
export interface BridgeApp {
  readonly fetch: Hono["fetch"];
  readonly request: Hono["request"];
  /** Refuses new dispatches. Requests about known dispatches are still answered. */
  readonly stop: () => void;
}

const CANCEL = "/cancel";

type Answer = (context: Context) => Response | Promise<Response>;

export function createBridgeApp(options: BridgeAppOptions): BridgeApp {
  const handler = new DispatchHandler(options);
  const hono = new Hono();
  hono.onError((thrown) => refusalFor(thrown, options).response());
  hono.notFound(({ req }) => new BridgeRefusal("not_found", `There is no ${req.path} here.`).response());
  hono.get("/healthz", (context) => context.json({ status: "ok" }));
  // The caller is checked first, so that the body of an unauthenticated request is not read.
  hono.use("*", async ({ req }, next) => {
    admit(req.raw, options);
    await next();
  });
  addDispatchRoutes(hono, handler);
  addRoute(hono, "GET", "/health", async (context) => {
    const { executions, deliveries, clock, instanceId, redactor } = options;
    const reply = await askHealth(executions.adapters, clock, instanceId, deliveries.isDegraded);
    const body: unknown = redactor?.json({ ...reply }) ?? reply;
    return context.body(JSON.stringify(body), 200, JSON_HEADERS);
  });
  hono.all(`${EXECUTIONS_PATH}/*`, (context) => answerAbout(context, options));
  return { fetch: hono.fetch, request: hono.request, stop: () => handler.stop() };
}

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

function addDispatchRoutes(hono: Hono, handler: DispatchHandler): void {
  const takeOne: Answer = async (context) => {
    const sent = await readJsonBody(context.req.raw, DISPATCH_BYTES_MAX);
    return context.json(handler.take(sent), 202);
  };
  addRoute(hono, "POST", DISPATCH_PATH, takeOne);
  addRoute(hono, "POST", DISPATCH_ALIAS, takeOne);
  addRoute(hono, "POST", DISPATCH_BATCH_PATH, async (context) => {
    const sent = await readJsonBody(context.req.raw, DISPATCH_BATCH_BYTES_MAX);
    return context.json(handler.takeAll(readShape(dispatchBatchSchema, sent).dispatches), 200);
  });
  addRoute(hono, "POST", DISPATCH_SYNC_PATH, async (context) => {
    const { raw } = context.req;
    const body = await handler.takeAndWait(await readJsonBody(raw, DISPATCH_BYTES_MAX), raw.signal);
    return context.body(callbackText(body), 200, JSON_HEADERS);
  });
}

function addRoute(hono: Hono, method: string, path: string, answer: Answer): void {
  hono.all(path, (context) => {
    requireMethod(context, method);
    return answer(context);
  });
}

function requireMethod({ req }: Context, method: string): void {
  if (req.raw.method === method) return;
  throw new BridgeRefusal("method_not_allowed", `${req.raw.method} is not taken here, only ${method} is.`, {
    headers: { allow: method },
  });
}

function admit({ headers }: Request, { tokens, onUnknownToken }: BridgeAppOptions): void {
  if (headers.get("origin") !== null) {
    throw new BridgeRefusal("bad_origin", "A Bridge is talked to by servers; requests with an Origin are refused.");
  }
  const authorization = headers.get("authorization");
  if (isBearerAccepted(authorization, tokens())) return;
  if (authorization !== null) onUnknownToken?.();
  throw new BridgeRefusal("unauthenticated", "Send the dispatch token of this gateway: Authorization: Bearer TOKEN.", {
    headers: { "www-authenticate": 'Bearer realm="sluice-bridge"' },
  });
}

/** Returns or cancels one dispatch. Its id may contain slashes, escaped or not. */
function answerAbout(context: Context, { executions }: BridgeAppOptions): Response {
  const { pathname } = new URL(context.req.raw.url);
  const rest = pathname.slice(EXECUTIONS_PATH.length + 1);
  const isCancel = rest.endsWith(CANCEL);
  requireMethod(context, isCancel ? "POST" : "GET");
  const dispatchId = decoded(isCancel ? rest.slice(0, -CANCEL.length) : rest);
  const view = executions.find(dispatchId);
  if (view === undefined) {
    throw new BridgeRefusal("unknown_dispatch", `This Bridge knows no dispatch ${JSON.stringify(dispatchId)}.`);
  }
  if (!isCancel) return context.json(view, 200, { "cache-control": "no-store" });
  executions.cancel(dispatchId, "The server cancelled the dispatch.");
  return context.json({ accepted: true, dispatchId }, 202);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refusalFor(thrown: unknown, { onTrouble }: BridgeAppOptions): BridgeRefusal {
  if (thrown instanceof BridgeRefusal) return thrown;
  onTrouble?.(
    `A request ended in a bug: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
  );
  return new BridgeRefusal("internal_error", "The request was not carried out.");
}
