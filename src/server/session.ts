import { ownOriginsOf, requireCsrfToken, requireOwnOrigin, sessionSecretOf } from "./credentials.ts";
import { formOf } from "./form.ts";
import { page } from "./html.ts";
import { welcome } from "./pages.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";
import { isSecret } from "./secret.ts";
import { sessionCookie } from "./session-cookie.ts";
import { endSessionOf, openSession, type SessionSubject } from "./session-opening.ts";
import { to } from "./redirect.ts";

/** The page that reports an invalid link and offers sign-in with a key. */
const USED_LINK = "/?link=used";

/**
 * Accepts a key from a form and opens a session for it. The cookie contains the secret of the session, not the key. A
 * browser that submits the form gets the next page; a script that requests JSON gets a status.
 */
export async function beginSession(services: Services, request: Request, address: string): Promise<Response> {
  requireOwnOrigin(request, ownOriginsOf(request, services.config.publicUrl));
  const isScript = request.headers.get("accept") === "application/json";
  const holder = await holderOf(services, (await formOf(request)).get("key")?.trim() ?? "");
  if (!(holder instanceof Refused)) {
    const { cookie } = await openSession(services, request, address, holder);
    return isScript ? begun(cookie) : to("/", cookie);
  }
  if (isScript) throw holder;
  return page("Sluice", welcome(holder.message, services.signIn.shown), 401);
}

/** Signs in the first browser to open a one-time address. */
export async function beginSessionOnce(services: Services, request: Request, address: string): Promise<Response> {
  const secret = services.sessionTickets.redeem(new URL(request.url).searchParams.get("ticket") ?? "");
  const holder = secret === null ? null : await holderOf(services, secret);
  if (holder === null || holder instanceof Refused) return to(USED_LINK);
  return to("/", (await openSession(services, request, address, holder)).cookie);
}

/** Signs out. The CSRF token is in a header for scripts, in a field for forms. */
export async function handleSessionEnd(services: Services, request: Request): Promise<Response> {
  const { publicUrl } = services.config;
  requireOwnOrigin(request, ownOriginsOf(request, publicUrl));
  const secret = sessionSecretOf(request, publicUrl);
  if (secret !== null) {
    requireCsrfToken(secret, request.headers.get("x-sluice-csrf") ?? (await formOf(request)).get("csrf"));
    await endSessionOf(services, request);
  }
  return to("/", sessionCookie(request, services.config, "", 0));
}

async function holderOf({ keys }: Services, secret: string): Promise<SessionSubject | Refused> {
  if (!isSecret(secret)) return new Refused("unauthenticated", "That is no key: keys begin with slk_.");
  try {
    const { keyId, orgId } = await keys.authenticate(secret);
    return { keyId, orgId };
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function begun(cookie: string): Response {
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
