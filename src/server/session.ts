import { ownOriginsOf, requireOwnOrigin, SESSION_COOKIE } from "./credentials.ts";
import { page } from "./html.ts";
import { welcome } from "./pages.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";
import { isSecret } from "./secret.ts";

const SESSION_SECONDS = 43_200;
const SESSION_FORM_BYTES_MAX = 1_024;
/** Where the pages say that a link was no good, and let people sign in with a key instead. */
const USED_LINK = "/?link=used";

/**
 * Takes a key from a form and keeps it where no script can read it. A browser that sends the form itself is shown the
 * next page; a script that asks for JSON gets a status.
 */
export async function beginSession(services: Services, request: Request): Promise<Response> {
  requireOwnOrigin(request, ownOriginsOf(request, services.config.publicUrl));
  const isScript = request.headers.get("accept") === "application/json";
  const secret = await formKey(request);
  const refused = await refusalOf(services, secret);
  if (refused === null) return isScript ? begun(services, request, secret) : toHome(services, request, secret);
  if (isScript) throw refused;
  return page("Sluice", welcome(refused.message), 401);
}

/** Signs in the first one to open a one-time address. */
export async function beginSessionOnce(services: Services, request: Request): Promise<Response> {
  const secret = services.sessionTickets.redeem(new URL(request.url).searchParams.get("ticket") ?? "");
  if (secret === null || (await refusalOf(services, secret)) !== null) return to(USED_LINK);
  return toHome(services, request, secret);
}

export async function endSession(services: Services, request: Request): Promise<Response> {
  requireOwnOrigin(request, ownOriginsOf(request, services.config.publicUrl));
  return to("/", cookieFor(services, request, "", 0));
}

async function refusalOf({ keys }: Services, secret: string): Promise<Refused | null> {
  if (!isSecret(secret)) return new Refused("unauthenticated", "That is no key: keys begin with slk_.");
  try {
    await keys.authenticate(secret);
    return null;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

async function formKey(request: Request): Promise<string> {
  const [type] = (request.headers.get("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw new Refused("unsupported_media_type", "Send the form of the front page.");
  }
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= SESSION_FORM_BYTES_MAX)) throw new Refused("body_too_large", "A key is much shorter than that.");
  return new URLSearchParams(await request.text()).get("key")?.trim() ?? "";
}

function toHome(services: Services, request: Request, secret: string): Response {
  return to("/", cookieFor(services, request, secret, SESSION_SECONDS));
}

function begun(services: Services, request: Request, secret: string): Response {
  const cookie = cookieFor(services, request, secret, SESSION_SECONDS);
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}

function to(location: string, cookie?: string): Response {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return new Response(null, {
    status: 303,
    headers: cookie === undefined ? headers : { ...headers, "set-cookie": cookie },
  });
}

function cookieFor({ config }: Services, request: Request, secret: string, seconds: number): string {
  const isSecure = (config.publicUrl ?? request.url).startsWith("https:");
  return [
    `${SESSION_COOKIE}=${secret}`,
    "HttpOnly",
    "SameSite=Strict",
    "Path=/",
    `Max-Age=${seconds}`,
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}
