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

/** Requests that never leave the process need an address of some kind. */
const HERE = "http://sluice.invalid";

export interface OpenedMcp {
  readonly routes: readonly OpenRoute[];
  readonly close: () => void;
}

/**
 * MCP at `/mcp`: each call of a tool is a request to this very API under the caller's key, so that whatever holds there
 * holds here. There are no sessions to open or end: GET and DELETE are not allowed.
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
    // A cookie would be sent along by any page; MCP clients have a key.
    if (!request.headers.has("authorization")) throw unauthenticated("Send a key as Authorization: Bearer slk_…");
    const credential = credentialOf(request, null);
    const { orgId, keyId } = await callers.identify(credential);
    const api = new SluiceClient({ url: HERE, key: credential.secret, retries: 0, fetch: inProcess });
    // The subject of a token may hold anything; no two callers must look like one.
    return endpoint.answer(request, { api, id: `${orgId}/${encodeURIComponent(keyId)}` });
  };
  const route: OpenRoute = { method: "POST", path: "/mcp", handle: (_services, request) => answer(request) };
  return { routes: [route], close: () => endpoint.close() };
}

/**
 * A page sends its origin, a program does not. A page elsewhere is refused, also when it had its own name resolve to
 * this machine: names count only when they are the one this server was given.
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
