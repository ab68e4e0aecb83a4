import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { App } from "./app.ts";

export interface ServeOptions {
  readonly app: App;
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  /** Ends streams, lets requests finish within the grace, then hangs up. */
  close(graceMs?: number): Promise<void>;
}

/** Longer than balancers and agents keep idle connections, so that none is closed just as it is used again. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 66_000;
const REQUEST_MS = 120_000;
const GRACE_MS = 5_000;
const IDLE_SWEEP_MS = 20;

export async function serve({ app, port, host }: ServeOptions): Promise<Served> {
  const server = createServer(getRequestListener(app.fetch));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const shown = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${shown}:${bound}`, port: bound, close: (graceMs = GRACE_MS) => close(server, app, graceMs) };
}

async function close(server: Server, app: App, graceMs: number): Promise<void> {
  app.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose last answer is just being read becomes idle only afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
