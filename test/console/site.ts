import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { buildConsoleIfStale, CHECKOUT } from "../../scripts/checkout.mjs";
import { nextSlots } from "../../src/outside/schedule/index.ts";
import type { ApiConfig } from "../../src/server/index.ts";
import { ADMIN, type Api, type ApiParts, createApi } from "../api/fixture.ts";
import { openBrowser, openContext } from "../browser/browser.ts";

export type Theme = "light" | "dark";

export interface Visit {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Where to go once signed in. */
  readonly path?: string;
  readonly key?: string;
}

/** The console on a real server, in a real browser. */
export interface Site {
  readonly api: Api;
  readonly url: string;
  /** What addresses begin with once the organisation is in them. */
  readonly home: string;
  readonly browser: Browser;
  /** A page with a profile of its own, signed in by a one-time link. Whatever the browser complains about is kept. */
  visit(visit?: Visit): Promise<Page>;
  /** Takes back a page and what it has stored; a later visit may get it. Scripts a test has added to it would remain. */
  leave(page: Page): Promise<void>;
  /** What browsers complained about, such as breaches of the policy, and uncaught errors. */
  readonly complaints: readonly string[];
  /** Stops listening and, with `start`, listens again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A policy that lets people decide about money; each test adds what it is about. */
export const PEOPLE_PAY = {
  category: "guardrail",
  scope: "global",
  condition: "node.action == 'financial'",
  action: "require_approval",
};

const LISTEN_AGAIN_MS = 100;
const SCREENSHOTS = join(CHECKOUT, "test", "console", "screenshots");

/** `script` is what the scripted adapter answers, as in test/api/fixture.ts; `connect` whom pages may call; `parts` what the server is made of. */
export async function openSite(
  script?: string,
  connect: readonly string[] = [],
  { approvers = "enforced", ...parts }: ApiParts & Partial<Pick<ApiConfig, "approvers">> = {},
): Promise<Site> {
  await buildConsoleIfStale();
  const browser = await openBrowser();
  mkdirSync(SCREENSHOTS, { recursive: true });
  const api = await createApi(
    { consoleDirectory: join(CHECKOUT, "dist", "console"), consoleConnect: connect, approvers, nextSlots },
    script,
    parts,
  );
  let server = await listen(api, 0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const complaints: string[] = [];
  const listenTo = (page: Page): void => {
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const isOfServer = /Failed to load resource|ERR_CONNECTION/.test(message.text());
      if (message.type() === "error" && !isOfServer) complaints.push(message.text());
    });
  };
  return {
    api,
    url,
    home: `${url}/o/default`,
    browser,
    complaints,
    async visit({ theme = "light", width = 1280, height = 800, path = "/", key = ADMIN } = {}) {
      const page = takeLeft() ?? (await openPage());
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      listenTo(page);
      // The link is opened without a page: drawing the first screen only to leave it costs more than many a test.
      await page.context().request.get(`${url}${api.app.signInPath(key) ?? ""}`, { maxRedirects: 0 });
      await page.goto(`${url}${path}`);
      if (path === "/") await page.getByRole("heading", { level: 1 }).waitFor();
      return page;
    },
    leave: (page) => leavePage(page, url),
    stop: () => hangUp(server),
    async start() {
      server = await listen(api, port);
    },
    async close() {
      const kept = new Set(left.map((page) => page.context()));
      for (const context of browser.contexts()) if (!kept.has(context)) await context.close();
      await hangUp(server);
      await api.close();
    },
  };
}

/** Pages that no test uses: a new one needs new processes of the browser, which take longer than most of these tests. */
const left: Page[] = [];

function takeLeft(): Page | null {
  for (let page = left.pop(); page !== undefined; page = left.pop()) if (!page.isClosed()) return page;
  return null;
}

async function openPage(): Promise<Page> {
  const context = await openContext({ locale: "en-GB" });
  return context.newPage();
}

async function leavePage(page: Page, url: string): Promise<void> {
  const context = page.context();
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const event of ["pageerror", "console", "request"] as const) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.clearCookies();
    // A document of the same origin, where no program of ours writes meanwhile.
    await page.goto(`${url}/healthz`);
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await page.goto("about:blank");
    await page.mouse.move(0, 0);
    left.push(page);
  } catch {
    // The server was stopped, or the page is closed: the next visit opens another one.
    await context.close();
  }
}

/** Without `serve`, which ends the app together with its socket: a server that comes back is the same one. */
function listen(api: Api, port: number): Promise<Server> {
  const server = createServer(getRequestListener(api.app.fetch));
  return new Promise((resolve) => {
    // While it did not listen, a program may have been given its port for a moment.
    server.once("error", () => setTimeout(() => resolve(listen(api, port)), LISTEN_AGAIN_MS));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function hangUp(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A picture for people, not for comparison. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: false });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * What axe finds wrong with a page, or with a part of it, one line each; nothing when it is accessible as far as a
 * program can tell. Looking at the whole page takes seconds: once is enough where only a part of it has changed since.
 */
export async function violations(page: Page, part?: string): Promise<readonly string[]> {
  // Not as a script element: the page's own policy would refuse it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const where = part === undefined ? "document" : JSON.stringify(part);
  // What it found to be right is the larger part by far, and stays in the page.
  const found = await page.evaluate<Violation[]>(
    `axe.run(${where}, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  );
}
