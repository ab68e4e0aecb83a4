import type { Transport } from "@modelcontextprotocol/client";
import { createModelFetch, ResponseTooLarge } from "../../outbound/index.ts";
import type { Environment } from "../environment.ts";
import { fillHeaders } from "../http/secret-header.ts";
import type { SecretLookup } from "../secret-lookup.ts";
import type { HttpServer, McpServer, StdioServer } from "./config.ts";
import { McpFailure, notInstalled } from "./mcp-failure.ts";
import { RESULT_BYTES_MAX } from "./tool-result.ts";

/** The transport to one server, and the problems seen on it. */
export interface Link {
  readonly transport: Transport;
  readonly trouble: Trouble;
  /** Notifies the server that the session ends. Called before the transport is closed. */
  endSession(): Promise<void>;
  close(): Promise<void>;
}

interface Trouble {
  /** True as soon as an answer exceeds the limit. The client may lose this reason. */
  isTooLarge: boolean;
  /** The last part of a command's stderr output. */
  stderrTail: string;
}

/** Time limit for a server to accept the end of a session. */
const SESSION_END_TIMEOUT_MS = 2_000;
/** Extra size for the protocol message around a result of the maximum size. */
const FRAME_BYTES = 65_536;
const STDERR_TAIL_LENGTH_MAX = 1_024;

export function openLink(server: McpServer, env: Environment, lookup: SecretLookup, name: string): Promise<Link> {
  return "url" in server ? openHttp(server, lookup, name) : openStdio(server, env);
}

async function openHttp(server: HttpServer, lookup: SecretLookup, name: string): Promise<Link> {
  const filled = fillHeaders(server.headers ?? {}, lookup);
  if (!filled.ok) {
    throw new McpFailure("provider_auth", `${filled.failure} A header of the MCP server "${name}" needs it.`);
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client").catch(notInstalled);
  const outbound = createModelFetch({ responseBytesMax: RESULT_BYTES_MAX + FRAME_BYTES });
  const trouble: Trouble = { isTooLarge: false, stderrTail: "" };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { ...filled.value.headers }, redirect: "error" },
    // A broken stream is not resumed: the retry policy decides whether to call again.
    reconnectionOptions: {
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
    fetch: async (url, init) => watch(await outbound.fetch(url, withSessionEndTimeout(init)), trouble),
  });
  return {
    transport,
    trouble,
    endSession: async () => {
      if (transport.sessionId !== undefined) await transport.terminateSession();
    },
    close: () => outbound.close(),
  };
}

/** Limits only the request that ends a session. Calls have no limit here. */
function withSessionEndTimeout(init: RequestInit | undefined): RequestInit | undefined {
  if (init?.method !== "DELETE") return init;
  const limit = AbortSignal.timeout(SESSION_END_TIMEOUT_MS);
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit };
}

function watch(response: Response, trouble: Trouble): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (error instanceof ResponseTooLarge) trouble.isTooLarge = true;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

async function openStdio(server: StdioServer, env: Environment): Promise<Link> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio").catch(notInstalled);
  const handed = (server.env ?? []).flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: Object.fromEntries(handed),
    stderr: "pipe",
    maxBufferSize: RESULT_BYTES_MAX + FRAME_BYTES,
  });
  const trouble: Trouble = { isTooLarge: false, stderrTail: "" };
  transport.stderr?.on("data", (piece: Buffer) => {
    trouble.stderrTail = (trouble.stderrTail + piece.toString("utf8")).slice(-STDERR_TAIL_LENGTH_MAX);
  });
  return { transport, trouble, endSession: () => Promise.resolve(), close: () => Promise.resolve() };
}
