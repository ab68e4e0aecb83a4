import { STYLE } from "./html.ts";
import { openApiDocument } from "./openapi.ts";
import { docsPage, homePage } from "./pages.ts";
import { problemResponse, Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { ROUTES } from "./route-table.ts";
import { acceptInvitation, showInvitation } from "./invite-pages.ts";
import { beginSession, beginSessionOnce, handleSessionEnd } from "./session.ts";
import { finishSignIn, listProviders, startSignIn } from "./sign-in.ts";
import { combinedMetrics, type OwnAnswer, combinedReadiness, type SharedPath } from "./process-answers.ts";

/** A route without a key. The list is short on purpose: none of them shows data of an organisation. */
export interface OpenRoute {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** False when a HEAD request would use something up. */
  readonly answersHead?: boolean;
  /** `address` is the address the request comes from, as the server sees it. */
  readonly handle: (services: Services, request: Request, address: string) => Promise<Response>;
}

export const OPEN_ROUTES: readonly OpenRoute[] = [
  { method: "GET", path: "/healthz", handle: async ({ config }) => json({ status: "alive", version: config.version }) },
  { method: "GET", path: "/readyz", handle: (services) => readyOfAll(services) },
  { method: "GET", path: "/metrics", handle: (services) => metricsOfAll(services) },
  {
    method: "GET",
    path: "/openapi.json",
    handle: async ({ config }) => json(openApiDocument(ROUTES, config.publicUrl)),
  },
  { method: "GET", path: "/docs", handle: async () => docsPage(ROUTES) },
  { method: "GET", path: "/sluice.css", handle: async () => style() },
  {
    method: "GET",
    path: "/",
    handle: async (services, request) => services.pages?.answer(request) ?? homePage(services, request),
  },
  { method: "POST", path: "/session", handle: beginSession },
  { method: "GET", path: "/session/once", handle: beginSessionOnce, answersHead: false },
  { method: "POST", path: "/session/end", handle: handleSessionEnd },
  { method: "GET", path: "/auth/providers", handle: listProviders },
  { method: "GET", path: "/auth/{provider}/start", handle: startSignIn, answersHead: false },
  { method: "GET", path: "/auth/{provider}/callback", handle: finishSignIn, answersHead: false },
  { method: "GET", path: "/invite", handle: showInvitation },
  { method: "POST", path: "/invite", handle: acceptInvitation },
];

/** A larger difference of clocks causes a warning, although time is taken from the database. */
const SKEW_WARNED_MS = 5_000;

async function readyOfAll(services: Services): Promise<Response> {
  const { allProcesses } = services.config;
  return allProcesses === undefined ? ready(services) : combinedReadiness(await allProcesses("/readyz"));
}

async function metricsOfAll(services: Services): Promise<Response> {
  const { allProcesses } = services.config;
  return printed(
    allProcesses === undefined ? await metrics(services) : combinedMetrics(await allProcesses("/metrics")),
  );
}

/** Returns the answer of this process alone, where several processes serve one port. */
export async function ownAnswer(services: Services, path: SharedPath): Promise<OwnAnswer> {
  const { pid } = process;
  if (path === "/metrics") return { pid, status: 200, body: await metrics(services) };
  const response = await ready(services).catch((error: unknown) => {
    if (error instanceof Refused) return problemResponse(error, `${pid}`);
    throw error;
  });
  return { pid, status: response.status, body: await response.text() };
}

async function ready({ store, runtime, config }: Services): Promise<Response> {
  const { outage } = runtime.figures();
  if (outage !== null) {
    throw new Refused("not_ready", `Nothing can be written: ${outage.reason}.`, { headers: { "retry-after": "2" } });
  }
  try {
    await store.ping();
  } catch (error) {
    config.onTrouble("the database is not ready", error);
    throw new Refused("not_ready", "The database cannot be reached, or its schema is not current.", {
      headers: { "retry-after": "2" },
    });
  }
  const skewMs = config.clockSkewMs();
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1);
  const direction = skewMs > 0 ? "ahead of" : "behind";
  const warning = `The clock of this replica is ${seconds} s ${direction} the database's.`;
  const warnings = Math.abs(skewMs) > SKEW_WARNED_MS ? [warning] : [];
  return json({ status: "ready", clockSkewMs: skewMs, ...(warnings.length === 0 ? {} : { warnings }) });
}

async function metrics(services: Services): Promise<string> {
  const { metrics, runtime, streams, governance, audit, store, config } = services;
  metrics.setFigures(runtime.figures(), streams.size);
  metrics.setClockSkew(config.clockSkewMs());
  metrics.setGovernance(governance.figures());
  metrics.setSealing(audit.figures());
  const spans = config.spanFigures?.();
  if (spans !== undefined) metrics.setSpans(spans);
  await metrics.refreshBacklog(() => store.readBacklog(), config.now());
  return metrics.print();
}

function printed(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
}

function style(): Response {
  return new Response(STYLE, {
    headers: { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=3600" },
  });
}
