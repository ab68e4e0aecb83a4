import { isSecure, sessionCookieName } from "./credentials.ts";
import type { ApiConfig } from "./config.ts";

export interface CookieRule {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly seconds: number;
}

type Reach = Pick<ApiConfig, "publicUrl">;

/** SameSite=Lax: a person who follows a link, or returns from a provider, stays signed in. Other sites can send only such links. */
export function cookieText(request: Request, { publicUrl }: Reach, { name, value, path, seconds }: CookieRule): string {
  return [
    `${name}=${value}`,
    "HttpOnly",
    "SameSite=Lax",
    `Path=${path}`,
    `Max-Age=${seconds}`,
    ...(isSecure(request, publicUrl) ? ["Secure"] : []),
  ].join("; ");
}

export function sessionCookie(request: Request, reach: Reach, secret: string, seconds: number): string {
  const name = sessionCookieName(request, reach.publicUrl);
  return cookieText(request, reach, { name, value: secret, path: "/", seconds });
}
