const ADDRESS = /^https?:\/\/([^/?#\\]*)/i;
/** Host and port, without whatever stands before an `@`. */
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/;

/**
 * Why a text is no address anything could be sent to; null when it is one. Only how it is written counts here: whether
 * anything may be sent there is for the outbound guard to decide. The parser of URLs alone is too lenient: it reads
 * `http:///path` as the host "path".
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
