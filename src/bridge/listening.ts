import type { Server } from "node:http";

/** Longer than balancers and agents keep idle connections, so that none is closed just as it is used again. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 66_000;
const REQUEST_MS = 120_000;
const IDLE_SWEEP_MS = 20;

/** Begins to listen, with limits that suit peers who keep their connections. */
export async function listen(server: Server, port: number, host: string): Promise<Server> {
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
  return server;
}

/** Takes no more connections, and ends those that are left when the grace is over. */
export async function hangUp(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose last answer is just being read becomes idle only afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
