/** Redirects after a form was processed, with cookies. No referrer is sent. */
export function to(location: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

const NOT_PAGES = /^\/(?:api|auth|session|mcp|hooks|execute)(?:[/?#]|$)/;
const HERE = "http://sluice.invalid";

/** Returns a path of this server's own pages to return to after sign-in; `/` for anything else, such as another site. */
export function ownPath(text: string | null): string {
  if (text === null || !/^\/[^/\\]?[^\\\p{Cc}]{0,2000}$/u.test(text) || !URL.canParse(text, HERE)) return "/";
  const url = new URL(text, HERE);
  // A path such as `/.//other.example` is local here, but another site for a browser.
  const isOwn = url.origin === HERE && !url.pathname.startsWith("//") && !NOT_PAGES.test(url.pathname);
  return isOwn ? `${url.pathname}${url.search}${url.hash}` : "/";
}
