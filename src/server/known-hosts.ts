import { isIP } from "node:net";
import { Refused } from "./problem.ts";

/** Paths that orchestrators call under the address of the machine, which is not known in advance. They need no key. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const HEADER = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\[\],]+)(?::\d{1,5})?$/;
const LOOPBACK = /^(?:localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

export interface HostRequest {
  /** The header `Host`; null when the request came without a socket. */
  readonly host: string | null;
  readonly path: string;
  /** The local address of the connection. */
  readonly localAddress: string | undefined;
}

/**
 * Checks the host names under which the server answers. A page of another site can make its own name resolve to this
 * server (DNS rebinding), and could then read whatever needs no key. That name is in the `Host` header, so unlisted
 * names are refused.
 *
 * Known are: the host of `--public-url`, the names of `--allow-host` (`*.suffix` for all names below it), the address
 * the server listens at, this machine's own names, and the local address of the connection. Probes are answered under
 * any IP address, since no name is involved.
 */
export class KnownHosts {
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];

  constructor(listed: readonly string[], publicUrl: string | null) {
    for (const entry of listed) {
      if (entry.startsWith("*.")) this.#suffixes.push(entry.slice(1).toLowerCase());
      else this.#names.add(nameIn(isIP(entry) === 6 ? `[${entry}]` : entry) ?? entry);
    }
    if (publicUrl !== null) this.#names.add(nameIn(new URL(publicUrl).host) ?? "");
  }

  require({ host, path, localAddress }: HostRequest): void {
    if (host === null) return;
    const name = nameIn(host);
    if (name !== null && this.#isKnown(name, path, localAddress)) return;
    const shown = name ?? host.slice(0, 100);
    throw new Refused(
      "unknown_host",
      `This server is not known as ${JSON.stringify(shown)}; start it with --public-url, or with --allow-host ${name ?? "NAME"}.`,
    );
  }

  #isKnown(name: string, path: string, localAddress: string | undefined): boolean {
    if (LOOPBACK.test(name) || this.#names.has(name)) return true;
    if (this.#suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length)) return true;
    if (isIP(name) === 0) return false;
    return PROBES.has(path) || name === localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
  }
}

/** Returns the host of a header without port, normalised for comparison; null when it is invalid. */
function nameIn(header: string): string | null {
  const name = HEADER.exec(header.trim())?.[1] ?? "";
  const text = `http://${name}/`;
  if (name === "" || !URL.canParse(text)) return null;
  const host = new URL(text).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return host === "" ? null : host;
}
