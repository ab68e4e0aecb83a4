import { createHash, timingSafeEqual } from "node:crypto";
import { unauthenticated } from "./auth.ts";
import { Refused } from "./problem.ts";

const COOKIE = "sluice_session";
/** With this prefix, a browser accepts a cookie only from this exact host, over TLS, for all of its paths. */
const SECURE_COOKIE = `__Host-${COOKIE}`;
export const CSRF_HEADER = "x-sluice-csrf";
const ORGANISATION_HEADER = "x-sluice-organisation";
/** For requests of a browser that cannot have custom headers: downloads and event sources. */
const ORGANISATION_PARAMETER = "organisation";
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The secret by which a request is authenticated. */
export interface Credential {
  readonly secret: string;
  readonly isCookie: boolean;
}

/** Checks whether browsers reach the server over TLS. */
export function isSecure(request: Request, publicUrl: string | null): boolean {
  return (publicUrl ?? request.url).startsWith("https:");
}

export function sessionCookieName(request: Request, publicUrl: string | null): string {
  return isSecure(request, publicUrl) ? SECURE_COOKIE : COOKIE;
}

/** Returns the session secret of a browser; null when the request has none. */
export function sessionSecretOf(request: Request, publicUrl: string | null): string | null {
  const cookie = cookieOf(request, sessionCookieName(request, publicUrl));
  return cookie === "" ? null : cookie;
}

/**
 * Returns the secret of a request: from `Authorization: Bearer`, or from the session cookie of the pages. A browser
 * sends the cookie automatically. A request with the cookie that changes something must therefore come from this
 * origin and contain the CSRF token of the session, which no other site can read.
 */
export function credentialOf(request: Request, publicUrl: string | null): Credential {
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const [scheme = "", secret = "", ...rest] = authorization.trim().split(/ +/);
    if (scheme.toLowerCase() === "bearer" && secret !== "" && rest.length === 0) {
      return { secret, isCookie: false };
    }
    throw unauthenticated("Authorization must be: Bearer slk_…");
  }
  const secret = sessionSecretOf(request, publicUrl);
  if (secret === null) throw unauthenticated("Send a key as Authorization: Bearer slk_…");
  if (!SAFE_METHODS.has(request.method)) {
    requireOwnOrigin(request, ownOriginsOf(request, publicUrl));
    requireCsrfToken(secret, request.headers.get(CSRF_HEADER));
  }
  return { secret, isCookie: true };
}

/** Returns the organisation a request names; null when it names none. */
export function organisationOf(request: Request, url: URL): string | null {
  const named = request.headers.get(ORGANISATION_HEADER);
  const asked = SAFE_METHODS.has(request.method) ? url.searchParams.get(ORGANISATION_PARAMETER) : null;
  if (named !== null && asked !== null && named !== asked) {
    throw new Refused("organisation_required", "X-Sluice-Organisation and ?organisation= name two organisations.");
  }
  // The parameter is removed because no route declares it, and routes refuse unknown parameters.
  if (SAFE_METHODS.has(request.method)) url.searchParams.delete(ORGANISATION_PARAMETER);
  return named ?? asked;
}

/** The token is derived from the session secret, so it needs no storage and ends with the session. */
export function csrfTokenOf(secret: string): string {
  return createHash("sha256").update("sluice csrf\0").update(secret, "utf8").digest("base64url");
}

export function requireCsrfToken(secret: string, shown: string | null): void {
  const wanted = Buffer.from(csrfTokenOf(secret), "utf8");
  const given = Buffer.from(shown ?? "", "utf8");
  if (wanted.length === given.length && timingSafeEqual(wanted, given)) return;
  const detail = "A request with the session cookie must show the csrfToken of GET /session in X-Sluice-CSRF.";
  throw new Refused("bad_csrf_token", detail);
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

/** Returns the origins under which a request may have reached this server. */
export function ownOriginsOf(request: Request, publicUrl: string | null): readonly string[] {
  const own = publicUrl === null ? [] : [new URL(publicUrl).origin];
  const host = request.headers.get("host");
  return [...own, new URL(request.url).origin, ...(host === null ? [] : [`http://${host}`, `https://${host}`])];
}
