import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { SluiceClient } from "../client/index.ts";
import { orMissing } from "../core/base/index.ts";
import { OfferShelf } from "./offer.ts";
import { OpenCalls } from "./open-calls.ts";

/** An installation may leave the library out; whichever of the two imports finds that first. */
const notInstalled = orMissing("@modelcontextprotocol/server");

export interface McpEndpointOptions {
  /** Bytes a request may weigh. */
  readonly bytesMax: number;
  /** Not guessable. */
  readonly newSession: () => string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Who asks: the API under their key, and the id of the key. */
export interface McpCaller {
  readonly api: SluiceClient;
  readonly id: string;
}

/** MCP over HTTP, both revisions of it. Nothing is kept between requests: any replica answers any of them. */
export interface McpEndpoint {
  /** Answers a request whose caller is known. */
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
      // The protocol's library hands this object on as it is: so a request finds its caller again.
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
 * Only the handshake of the older revision comes without these headers. Its clients send the session they are given
 * with every request, which is all a session is here: a word that distinguishes clients under the same key.
 */
function isFirst({ headers }: Request): boolean {
  return !headers.has(SESSION_HEADER) && !headers.has(VERSION_HEADER);
}

/** The library is large, and most servers start long before an MCP client connects. */
async function open(
  { bytesMax, onTrouble }: McpEndpointOptions,
  callers: WeakMap<object, McpCaller>,
): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server").catch(notInstalled),
    import("./mcp-server.ts").catch(notInstalled),
  ]);
  const shelf = new OfferShelf();
  const openCalls = new OpenCalls();
  return createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error("a request came without its caller");
      const session = requestInfo?.headers.get(SESSION_HEADER) ?? null;
      const calls = session === null ? null : { open: openCalls, session: `${caller.id} ${session}` };
      const { api } = caller;
      return createMcpServer({ api, shelf, connection: null, calls, announces: false, explain: () => null, onTrouble });
    },
    // A stream sends something every few seconds, so that no proxy takes a long wait for a dead connection.
    { responseMode: "sse", maxRequestBodySize: bytesMax },
  );
}
