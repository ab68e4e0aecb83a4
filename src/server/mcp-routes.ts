import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { SluiceClient } from "../client/index.ts";
import { createInProcessFetch, createMcpEndpoint } from "../mcp/index.ts";
import { unauthenticated } from "./auth.ts";
import { BODY_BYTES_MAX } from "./body.ts";
import type { Authenticator } from "./authenticator.ts";
import type { ApiConfig } from "./config.ts";
import { credentialOf, ownOriginsOf } from "./credentials.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";

/** Placeholder address for requests that never leave the process. */
const HERE = "http://sluice.invalid";

export interface OpenedMcp {
  readonly routes: readonly OpenRoute[];
  readonly close: () => void;
}

/**
 * MCP at `/mcp`: each tool call becomes a request to this API under the caller's key, with all its checks. There are
 * no sessions to open or close, so GET and DELETE are not allowed.
 */
export function openMcp(
  config: ApiConfig,
  callers: Authenticator,
  handle: (request: Request) => Response | Promise<Response>,
): OpenedMcp {
  const { onTrouble } = config;
  const endpoint = createMcpEndpoint({ bytesMax: BODY_BYTES_MAX.definition, newSession: randomUUID, onTrouble });
  const inProcess = createInProcessFetch(handle);
  const answer = async (request: Request): Promise<Response> => {
    requireKnownOrigin(request, config.publicUrl);
    // Cookies are not accepted, since any page could cause them to be sent. MCP clients have a key.
    if (!request.headers.has("authorization")) throw unauthenticated("Send a key as Authorization: Bearer slk_…");
    const credential = credentialOf(request, null);
    const { orgId, keyId } = await callers.identify(credential);
    const api = new SluiceClient({ url: HERE, key: credential.secret, retries: 0, fetch: inProcess });
    // The subject of a token may contain any character; encoding prevents two callers from getting the same id.
    return endpoint.answer(request, { api, id: `${orgId}/${encodeURIComponent(keyId)}` });
  };
  const route: OpenRoute = { method: "POST", path: "/mcp", handle: (_services, request) => answer(request) };
  return { routes: [route], close: () => endpoint.close() };
}

/**
 * Refuses requests of pages from elsewhere; programs send no origin. A page whose name was made to resolve to this
 * machine is refused, too: a host name counts only when it is in the configured public URL.
 */
function requireKnownOrigin(request: Request, publicUrl: string | null): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const isOwn = URL.canParse(origin) && ownOriginsOf(request, publicUrl).includes(origin);
  if (isOwn && (isAddress(origin) || (publicUrl !== null && new URL(publicUrl).origin === origin))) return;
  throw new Refused("bad_origin", "A page may speak MCP only with the server it came from.");
}

function isAddress(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || isIP(hostname.replaceAll(/^\[|\]$/g, "")) !== 0;
}
