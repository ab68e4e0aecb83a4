import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { closeServer, listen } from "../bridge/index.ts";
import type { App } from "./app.ts";

export interface ServeOptions {
  readonly app: Pick<App, "fetch" | "close">;
  /** 0 selects any free port. */
  readonly port: number;
  readonly host: string;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  /** Ends streams, lets requests finish within the grace period, then closes the connections. */
  close(graceMs?: number): Promise<void>;
}

const GRACE_MS = 5_000;
/** Allows for tokens, one of which may need half of this. */
const HEADER_BYTES_MAX = 32_768;

export async function serve({ app, port, host }: ServeOptions): Promise<Served> {
  const server = await listen(
    createServer({ maxHeaderSize: HEADER_BYTES_MAX }, getRequestListener(app.fetch)),
    port,
    host,
  );
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const shown = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${shown}:${bound}`, port: bound, close: (graceMs = GRACE_MS) => close(server, app, graceMs) };
}

async function close(server: Server, app: ServeOptions["app"], graceMs: number): Promise<void> {
  app.close();
  await closeServer(server, graceMs);
}
