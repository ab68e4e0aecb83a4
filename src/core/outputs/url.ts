/** Schemes whose addresses always name a host. */
const HOST_SCHEMES: readonly string[] = ["http", "https", "ws", "wss", "ftp"];
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
/** No white space, control characters or other characters that are invalid in an address. */
const ADDRESS = /^[^\s\p{Cc}<>"`{}|\\^]+$/u;
const HOST_NAME = /^[^[\]@:/?#%]+$/;
const HOST_IPV6 = /^\[[0-9A-Fa-f:.]+\]$/;
const PORT_MAX = 65_535;

/** Returns whether a text is an absolute address. Implemented here because the core has no host API to call. */
export function isUrl(text: string): boolean {
  const colon = text.indexOf(":");
  const scheme = text.slice(0, Math.max(colon, 0));
  const rest = text.slice(colon + 1);
  if (!SCHEME.test(scheme) || !ADDRESS.test(rest)) return false;
  if (!rest.startsWith("//")) return !HOST_SCHEMES.includes(scheme.toLowerCase());
  const authority = rest.slice(2).split(/[/?#]/, 1)[0] ?? "";
  if (authority === "") return !HOST_SCHEMES.includes(scheme.toLowerCase()) && rest.length > 2;
  return isAuthority(authority);
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const portColon = host.lastIndexOf(":");
  const hasPort = portColon > host.lastIndexOf("]");
  const name = hasPort ? host.slice(0, portColon) : host;
  const port = hasPort ? host.slice(portColon + 1) : "";
  return (HOST_NAME.test(name) || HOST_IPV6.test(name)) && /^\d{0,5}$/.test(port) && Number(port) <= PORT_MAX;
}
