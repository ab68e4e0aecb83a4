import { isIP } from "node:net";
import { fail, succeed, type Outcome } from "../core/base/index.ts";
import { classifyAddress, type AddressKind } from "./address.ts";
import { plainHost, type AllowList } from "./allow-list.ts";

export type UrlRefusalCode =
  | "url_scheme"
  | "url_credentials"
  | "url_host"
  | "url_private"
  | "url_port"
  | "url_redirect"
  | "url_too_large"
  | "url_timeout"
  | "url_unreachable";

export interface UrlRefusal {
  readonly code: UrlRefusalCode;
  readonly message: string;
}

/** Returns all addresses of a name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface UrlRules {
  readonly allow: AllowList;
  /** When set, public hosts must be on the allow list too. */
  readonly isListOnly: boolean;
  /** When set, public hosts may be called on any port, not only 80 and 443. */
  readonly isAnyPort?: boolean;
  readonly resolve: Resolve;
}

/** A URL that may be requested, and the only addresses that may be used for it. */
export interface CheckedUrl {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

const USUAL_PORTS: readonly number[] = [80, 443];

/** Names that resolve to the machine itself or to a metadata service with its credentials. They are refused without resolution. */
const INSIDE_NAMES =
  /^(?:(?:.+\.)?localhost|localhost\.localdomain|ip6-(?:localhost|loopback)|metadata|metadata\.google\.internal|metadata\.goog|instance-data|instance-data\.ec2\.internal)$/;

/** Address kinds that a listed name may resolve to. An address of another kind must be listed itself. */
const INSIDE_KINDS: readonly AddressKind[] = ["public", "loopback", "private", "shared", "unique_local"];

/** Checks everything that depends on the text of the URL alone. */
export function checkUrlText(text: string, base?: string): Outcome<URL, UrlRefusal> {
  if (!URL.canParse(text, base)) return refuse("url_host", `"${shorten(text)}" is no URL.`);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refuse("url_scheme", `"${url.protocol}" URLs are not requested; use http: or https:.`);
  }
  const host = plainHost(url);
  // URL parsers skip extra slashes: `http:///path` would be parsed with the host "path".
  const isBare = base === undefined && !/^https?:\/\/[^/\\]/i.test(text);
  if (host === "" || isBare) return refuse("url_host", `"${shorten(text)}" names no host.`);
  if (url.port === "0") return refuse("url_port", `The URL of ${host} names port 0, which no service listens on.`);
  if (url.username !== "" || url.password !== "") {
    return refuse("url_credentials", `The URL of ${host} holds a user name or password; send a header instead.`);
  }
  return succeed(url);
}

/** Resolves the host once and checks every address. The connection uses these addresses and does not resolve again. */
export async function checkUrl(url: URL, rules: UrlRules): Promise<Outcome<CheckedUrl, UrlRefusal>> {
  const refusal = refuseUnresolved(url, rules);
  if (refusal !== null) return fail(refusal);
  const { host, port } = partsOf(url);
  const addresses = isIP(host) === 0 ? await resolveAll(host, rules.resolve) : succeed([host]);
  if (!addresses.ok) return addresses;
  const found = refuseAddresses(url, addresses.value, rules);
  return found === null ? succeed({ url, host, port, addresses: addresses.value }) : fail(found);
}

/** Checks everything possible without name resolution. For a host that is an address, the check is complete. */
export function refuseUnresolved(url: URL, rules: UrlRules): UrlRefusal | null {
  const { host, port } = partsOf(url);
  const refusal = rules.allow.hasHost(host, port) ? null : refuseByName(host, port, rules);
  return refusal ?? (isIP(host) === 0 ? null : refuseAddresses(url, [host], rules));
}

/** Returns the first reason to refuse the resolved addresses of a name. */
export function refuseAddresses(url: URL, addresses: readonly string[], rules: UrlRules): UrlRefusal | null {
  const { host, port } = partsOf(url);
  const isListed = rules.allow.hasHost(host, port);
  for (const address of addresses) {
    const found = refuseAddress(host, port, address, isListed, rules);
    if (found !== null) return found;
  }
  return null;
}

function partsOf(url: URL): { readonly host: string; readonly port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: plainHost(url), port };
}

function refuseByName(host: string, port: number, { allow, isAnyPort = false }: UrlRules): UrlRefusal | null {
  const isLiteral = isIP(host) !== 0;
  if (isLiteral ? !mayReach(host, allow) : INSIDE_NAMES.test(host) && !allow.hasBlocks) {
    const what = isLiteral ? describe(host) : "a name that leads inside";
    return { code: "url_private", message: `${host} is ${what}; it must be on the allow list to be reached.` };
  }
  if (host.split(".").some((label) => label.startsWith("xn--"))) {
    const message = `${host} is an internationalised name, which can look like another one; put this spelling on the allow list.`;
    return { code: "url_host", message };
  }
  return allow.hasBlocks || isAnyPort ? null : refusePort(host, port);
}

function refusePort(host: string, port: number): UrlRefusal | null {
  if (USUAL_PORTS.includes(port)) return null;
  return {
    code: "url_port",
    message: `Port ${port} of ${host} is not 80 or 443; put ${host}:${port} on the allow list.`,
  };
}

function refuseAddress(
  host: string,
  port: number,
  address: string,
  isListed: boolean,
  { allow, isListOnly, isAnyPort = false }: UrlRules,
): UrlRefusal | null {
  if (allow.hasAddress(address)) return null;
  // Resolution of such a name is not trusted, even to a public address.
  if (!isListed && INSIDE_NAMES.test(host)) {
    return { code: "url_private", message: `${host} is a name that leads inside; put it on the allow list.` };
  }
  if (isListed && (address === host || INSIDE_KINDS.includes(classifyAddress(address)))) return null;
  if (!mayReach(address, allow)) {
    const message = isListed
      ? `${host} resolves to ${address}, ${describe(address)}; such an address must itself be on the allow list.`
      : `${host} resolves to ${address}, ${describe(address)}; the host must be on the allow list to be reached.`;
    return { code: "url_private", message };
  }
  if (isListOnly) return { code: "url_host", message: `${host} is not on the allow list of this Bridge.` };
  return isAnyPort ? null : refusePort(host, port);
}

function mayReach(address: string, allow: AllowList): boolean {
  return classifyAddress(address) === "public" || allow.hasAddress(address);
}

function describe(address: string): string {
  return `an address of the kind ${classifyAddress(address)}`;
}

async function resolveAll(host: string, resolve: Resolve): Promise<Outcome<readonly string[], UrlRefusal>> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return succeed(addresses);
    return refuse("url_unreachable", `${host} has no address.`);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return refuse("url_unreachable", `${host} cannot be resolved: ${reason}`);
  }
}

export function refuse(code: UrlRefusalCode, message: string): { readonly ok: false; readonly failure: UrlRefusal } {
  return fail({ code, message });
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
