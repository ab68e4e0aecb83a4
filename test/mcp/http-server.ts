import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { makeToolServer } from "./tools.ts";

export interface ToolServer {
  readonly url: string;
  /** Headers of every request so far. */
  readonly seen: Record<string, string | string[] | undefined>[];
  close(): Promise<void>;
}

/** A real MCP server on 127.0.0.1. With a token it refuses all requests without it. */
export async function startToolServer(
  options: { token?: string; description?: () => string; onHang?: (stopped: Promise<void>) => void } = {},
): Promise<ToolServer> {
  const handler = createMcpHandler(() => makeToolServer(options.description?.(), options.onHang));
  const seen: ToolServer["seen"] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.headers);
    if (options.token !== undefined && incoming.headers.authorization !== options.token) {
      outgoing.writeHead(401).end();
      return;
    }
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const hasBody = incoming.method === "POST";
    const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
      method: incoming.method ?? "GET",
      headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
    });
    handler
      .fetch(request)
      .then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        if (response.body === null) outgoing.end();
        else
          Readable.fromWeb(response.body as never)
            .on("error", () => outgoing.destroy())
            .pipe(outgoing);
      })
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`,
    seen,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
