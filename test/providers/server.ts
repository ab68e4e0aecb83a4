import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Behaviour, Spoken } from "./behaviour.ts";
import { anthropicDialect, chatDialect, responsesDialect, type Dialect } from "./dialect.ts";

/** A call as it arrived. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ProviderServer {
  /** What goes into the base URL of a client. */
  readonly baseUrl: string;
  readonly calls: readonly ReceivedCall[];
  /** Resolves once so many calls have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** One behaviour per call, in order, or whatever a function makes of a call. */
export type Script = readonly Behaviour[] | ((call: ReceivedCall) => Behaviour);

/** Speaks the Responses API and chat completions, whichever is called. */
export function startOpenAiServer(script: Script): Promise<ProviderServer> {
  return start(script, (path) => {
    if (path.endsWith("/responses")) return responsesDialect;
    return path.endsWith("/chat/completions") ? chatDialect : null;
  });
}

/** Speaks the Messages API. */
export function startAnthropicServer(script: Script): Promise<ProviderServer> {
  return start(script, (path) => (path.endsWith("/messages") ? anthropicDialect : null));
}

async function start(script: Script, dialectOf: (path: string) => Dialect | null): Promise<ProviderServer> {
  const calls: ReceivedCall[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    void readBody(request).then(async (body) => {
      const call = { path, headers: request.headers, body };
      const behaviour = typeof script === "function" ? script(call) : script[calls.length];
      calls.push(call);
      for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
      const dialect = dialectOf(path);
      if (dialect === null) return send(response, 404, `nothing is spoken at ${path}`);
      // More calls than the script foresees are a mistake of the code under test.
      if (behaviour === undefined) return send(response, 418, "the script is over");
      await behave(behaviour, dialect, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    arrived: (count) =>
      calls.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString() || "{}") as Record<string, unknown>;
}

export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

async function behave(behaviour: Behaviour, dialect: Dialect, response: ServerResponse): Promise<void> {
  switch (behaviour.kind) {
    case "status":
      return send(response, behaviour.status, behaviour.body ?? "", behaviour.headers);
    case "huge":
      return pour(dialect, response);
    case "spoken":
      return speak(behaviour, dialect, response);
  }
}

async function speak(spoken: Spoken, dialect: Dialect, response: ServerResponse): Promise<void> {
  const end = spoken.end ?? "whole";
  if (end === "hang" && spoken.chunks.length === 0) return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const said = [...dialect.open(spoken), ...spoken.chunks.flatMap((chunk) => dialect.text(spoken, chunk))];
  if (end === "whole") said.push(...dialect.close(spoken));
  if (end === "broken-frame") said.push('data: {"broken": \n\n', ...dialect.close(spoken));
  if (end === "error-event") said.push(...dialect.failure);
  await write(response, Buffer.from(said.join("")), spoken.bytesPerWrite);
  if (end === "hang") return;
  if (end !== "cut") response.end();
  // The socket goes in a turn of its own, so that what was written is on its way.
  else response.socket?.end(() => response.destroy());
}

async function write(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (at + size < bytes.length) await nextTurn();
  }
}

async function pour(dialect: Dialect, response: ServerResponse): Promise<void> {
  const spoken: Spoken = { kind: "spoken", chunks: ["x"] };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(dialect.open(spoken).join(""));
  const piece = dialect.text(spoken, "x".repeat(262_144)).join("");
  while (!response.destroyed) {
    if (!response.write(piece)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}
