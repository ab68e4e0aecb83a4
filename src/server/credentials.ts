import { unauthenticated } from "./auth.ts";
import { Refused } from "./problem.ts";

export const SESSION_COOKIE = "sluice_session";
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a request shows to be let in. */
export interface Credential {
  readonly secret: string;
  readonly isCookie: boolean;
}

/**
 * The secret of a request: from `Authorization: Bearer`, or from the session cookie of the pages. A browser sends the
 * cookie by itself, so with it a request that changes something must say that it comes from this very origin.
 */
export function credentialOf(request: Request, ownOrigins: readonly string[]): Credential {
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const [scheme = "", secret = "", ...rest] = authorization.trim().split(/ +/);
    if (scheme.toLowerCase() === "bearer" && secret !== "" && rest.length === 0) {
      return { secret, isCookie: false };
    }
    throw unauthenticated("Authorization must be: Bearer slk_…");
  }
  const cookie = cookieOf(request, SESSION_COOKIE);
  if (cookie === null) throw unauthenticated("Send a key as Authorization: Bearer slk_…");
  if (!SAFE_METHODS.has(request.method)) requireOwnOrigin(request, ownOrigins);
  return { secret: cookie, isCookie: true };
}

export function requireOwnOrigin(request: Request, ownOrigins: readonly string[]): void {
  const origin = request.headers.get("origin");
  const isOwn = origin !== null && ownOrigins.includes(origin);
  if (!isOwn)
    throw new Refused("bad_origin", "A request with the session cookie must come from this server's own pages.");
}

export function cookieOf(request: Request, name: string): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The origins under which a request may have reached this server. */
export function ownOriginsOf(request: Request, publicUrl: string | null): readonly string[] {
  const own = publicUrl === null ? [] : [new URL(publicUrl).origin];
  const host = request.headers.get("host");
  return [...own, new URL(request.url).origin, ...(host === null ? [] : [`http://${host}`, `https://${host}`])];
}
