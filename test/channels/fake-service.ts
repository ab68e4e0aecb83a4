import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A service on this machine that answers as the documents of the real one say. */
export interface FakeService {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export async function openService(answer: (request: Received) => Reply): Promise<FakeService> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      const one = { path, headers, text: Buffer.concat(chunks).toString("utf8") };
      received.push(one);
      const { status = 200, headers: more = {}, body = {} } = answer(one);
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
