import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { SluiceClient } from "../client/index.ts";
import { explainMissingPackage } from "../core/base/index.ts";
import { OfferCache } from "./offer.ts";
import { OpenCalls } from "./open-calls.ts";

/** The library is optional in an installation. Either of the two imports may be the first to find that it is missing. */
const notInstalled = explainMissingPackage("@modelcontextprotocol/server");

export interface McpEndpointOptions {
  /** Maximum bytes of a request. */
  readonly bytesMax: number;
  /** Returns a session id that cannot be guessed. */
  readonly newSession: () => string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The caller of a request: the API under its key, and the id of the key. */
export interface McpCaller {
  readonly api: SluiceClient;
  readonly id: string;
}

/** MCP over HTTP, in both revisions of the protocol. No state is kept between requests, so any replica can answer any of them. */
export interface McpEndpoint {
  /** Answers a request of an authenticated caller. */
  answer(request: Request, caller: McpCaller): Promise<Response>;
  close(): void;
}

const SESSION_HEADER = "mcp-session-id";
const VERSION_HEADER = "mcp-protocol-version";

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const callers = new WeakMap<object, McpCaller>();
  let opened: Promise<McpHttpHandler> | null = null;
  return {
    async answer(request, caller) {
      opened ??= open(options, callers);
      const handler = await opened;
      // The MCP library passes this object through unchanged, so it identifies the caller of a request.
      const authInfo = { token: "", clientId: "", scopes: [] };
      callers.set(authInfo, caller);
      const response = await handler.fetch(request, { authInfo });
      if (isFirst(request)) response.headers.set(SESSION_HEADER, options.newSession());
      return response;
    },
    close() {
      void opened
        ?.then((handler) => handler.close())
        .catch((error: unknown) => options.onTrouble("closing /mcp", error));
    },
  };
}

/**
 * Whether this is the handshake of the older protocol revision: only that has neither header. Clients send the returned
 * session id with every request. It only distinguishes clients that use the same key.
 */
function isFirst({ headers }: Request): boolean {
  return !headers.has(SESSION_HEADER) && !headers.has(VERSION_HEADER);
}

/** Loads the library on first use: it is large, and most servers start long before an MCP client connects. */
async function open(
  { bytesMax, onTrouble }: McpEndpointOptions,
  callers: WeakMap<object, McpCaller>,
): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server").catch(notInstalled),
    import("./mcp-server.ts").catch(notInstalled),
  ]);
  const offers = new OfferCache();
  const openCalls = new OpenCalls();
  return createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error("a request came without its caller");
      const session = requestInfo?.headers.get(SESSION_HEADER) ?? null;
      const calls = session === null ? null : { open: openCalls, session: `${caller.id} ${session}` };
      const { api } = caller;
      return createMcpServer({
        api,
        offers,
        connection: null,
        calls,
        announces: false,
        explain: () => null,
        onTrouble,
      });
    },
    // A stream regularly sends something, so that no proxy closes a long wait as a dead connection.
    { responseMode: "sse", maxRequestBodySize: bytesMax },
  );
}
