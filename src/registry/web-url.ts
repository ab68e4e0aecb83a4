const ADDRESS = /^https?:\/\/([^/?#\\]*)/i;
/** Host and port, after any text before an `@` was removed. */
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/;

/**
 * Returns why a text cannot be an address for messages; null when it can. Checks only the notation: the outbound guard
 * decides whether the address may be called. The URL parser alone is too lenient: it reads `http:///path` as the host
 * "path".
 */
export function webUrlFlaw(written: string): string | null {
  const authority = ADDRESS.exec(written)?.[1];
  if (authority === undefined) return "must be an http or https address";
  if (/[\s\\\p{Cc}]/u.test(written)) return "must be an address without spaces and backslashes";
  const [, host = "", port] = HOST_AND_PORT.exec(authority.slice(authority.lastIndexOf("@") + 1)) ?? [];
  if (host === "" || host === "[]") return "must name a host";
  if (/^\.|\.\./.test(host)) return "must name a host without empty parts";
  if (port !== undefined && !isPort(port)) return "must have a port from 1 to 65535, or none";
  return URL.canParse(written) ? null : "must name a host that can exist";
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}
