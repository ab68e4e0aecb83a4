import { isIP } from "node:net";
import { fail, succeed, type Outcome } from "../core/base/index.ts";
import { isInBlock, isSameAddress, parseBlock, type AddressBlock } from "./address.ts";

/**
 * The private addresses and unusual ports that an operator allows requests to. An entry is `host` (any port),
 * `host:port`, a single address, or a block such as `10.1.0.0/16`.
 */
export interface AllowList {
  /** Whether this host, as written in the URL, is on the list. */
  hasHost(host: string, port: number): boolean;
  /** Whether this address is inside a block of the list. */
  hasAddress(address: string): boolean;
  readonly hasBlocks: boolean;
}

interface HostEntry {
  readonly host: string;
  /** Null for any port. */
  readonly port: number | null;
}

const PORT_MAX = 65_535;

export const EMPTY_ALLOW_LIST: AllowList = listOf([], []);

export function createAllowList(entries: readonly string[]): Outcome<AllowList, string> {
  const hosts: HostEntry[] = [];
  const blocks: AddressBlock[] = [];
  for (const entry of entries) {
    if (entry.includes("/")) {
      const block = parseBlock(entry);
      if (block === null) return fail(`"${entry}" is no block of addresses; write for example 10.1.0.0/16.`);
      blocks.push(block);
      continue;
    }
    const host = readHostEntry(entry);
    if (host === null) {
      return fail(`"${entry}" is no host; write a name, name:port, an address, or a block such as 10.1.0.0/16.`);
    }
    hosts.push(host);
  }
  return succeed(listOf(hosts, blocks));
}

/** Returns the host of a URL without brackets and trailing dot: the only spelling that is compared and resolved. */
export function plainHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
}

function listOf(hosts: readonly HostEntry[], blocks: readonly AddressBlock[]): AllowList {
  return {
    hasBlocks: blocks.length > 0,
    hasHost: (host, port) =>
      hosts.some(
        (entry) =>
          (entry.port === null || entry.port === port) && (entry.host === host || isSameAddress(entry.host, host)),
      ),
    hasAddress: (address) => blocks.some((block) => isInBlock(block, address)),
  };
}

function readHostEntry(entry: string): HostEntry | null {
  if (isIP(entry) === 6) return { host: entry, port: null };
  const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\[\]]+)(?::(\d{1,5}))?$/.exec(entry);
  const [, name = "", digits] = parts ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (name === "" || (port !== null && (port === 0 || port > PORT_MAX))) return null;
  const text = `http://${name}/`;
  const host = URL.canParse(text) ? plainHost(new URL(text)) : "";
  return host === "" || host.includes("*") ? null : { host, port };
}
