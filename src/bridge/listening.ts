import type { Server } from "node:http";

/** Longer than load balancers and agents keep idle connections, so that none is closed at the moment when it is used again. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 66_000;
const REQUEST_MS = 120_000;
const IDLE_SWEEP_MS = 20;

/** Starts to listen, with timeouts for peers that keep their connections open. */
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

/** Accepts no more connections, and closes the remaining ones when the grace time ends. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that still sends its last response becomes idle only later, so idle ones are closed repeatedly.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
