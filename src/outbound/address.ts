import { isIPv4, isIPv6 } from "node:net";
import { required } from "../core/base/index.ts";

/** The kind of an IP address. Without permission from the operator, only `public` addresses are called. */
export type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "shared"
  | "unique_local"
  | "link_local"
  | "site_local"
  | "metadata"
  | "unspecified"
  | "this_network"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmarking"
  | "embeds_ipv4"
  | "reserved"
  | "invalid";

/** An IP address as a number with 32 or 128 bits. */
interface ParsedAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A block of addresses that share the first `length` bits. */
export interface AddressBlock extends ParsedAddress {
  readonly length: number;
}

/** The first matching block decides the kind, so narrow blocks come before wide ones. */
const IPV4_BLOCKS = table([
  ["255.255.255.255/32", "broadcast"],
  // The host agent of Azure answers with secrets here, although the address looks public.
  ["168.63.129.16/32", "metadata"],
  ["169.254.169.254/32", "metadata"],
  ["0.0.0.0/32", "unspecified"],
  ["0.0.0.0/8", "this_network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link_local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
]);

const IPV6_BLOCKS = table([
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "embeds_ipv4"],
  ["::ffff:0:0/96", "embeds_ipv4"],
  ["::ffff:0:0:0/96", "embeds_ipv4"],
  ["64:ff9b::/96", "embeds_ipv4"],
  ["64:ff9b:1::/48", "embeds_ipv4"],
  ["2001::/32", "embeds_ipv4"],
  ["2002::/16", "embeds_ipv4"],
  ["2001:db8::/32", "documentation"],
  ["2001:2::/48", "benchmarking"],
  ["2001::/23", "reserved"],
  ["3ffe::/16", "reserved"],
  ["3fff::/20", "documentation"],
  ["fd00:ec2::254/128", "metadata"],
  ["fc00::/7", "unique_local"],
  ["fe80::/10", "link_local"],
  ["fec0::/10", "site_local"],
  ["ff00::/8", "multicast"],
]);

/** IPv6 addresses outside this block are either listed above or unassigned. */
const GLOBAL_UNICAST = blockOf("2000::/3");

/** Marks in the lower half of an IPv6 address made from an IPv4 address (ISATAP), in any network. */
const ISATAP_MARKS: readonly bigint[] = [0x0000_5efen, 0x0200_5efen, 0x0100_5efen, 0x0300_5efen];

export function classifyAddress(text: string): AddressKind {
  const address = parseAddress(text);
  if (address === null) return "invalid";
  const isOld = address.bits === 32;
  const listed = (isOld ? IPV4_BLOCKS : IPV6_BLOCKS).find(({ block }) => contains(block, address));
  if (listed !== undefined) return listed.kind;
  if (isOld) return "public";
  if (ISATAP_MARKS.includes((address.value >> 32n) & 0xffff_ffffn)) return "embeds_ipv4";
  return contains(GLOBAL_UNICAST, address) ? "public" : "reserved";
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export function parseBlock(text: string): AddressBlock | null {
  const [head = "", tail, ...rest] = text.split("/");
  const address = parseAddress(head);
  if (address === null || head.includes("%") || rest.length > 0) return null;
  if (tail === undefined) return { ...address, length: address.bits };
  if (!/^\d{1,3}$/.test(tail) || Number(tail) > address.bits) return null;
  return { ...address, length: Number(tail) };
}

export function isInBlock(block: AddressBlock, text: string): boolean {
  const address = parseAddress(text);
  return address !== null && contains(block, address);
}

/** Whether two texts are spellings of the same address. */
export function isSameAddress(left: string, right: string): boolean {
  const block = parseBlock(left);
  return block !== null && block.length === block.bits && isInBlock(block, right);
}

function contains(block: AddressBlock, address: ParsedAddress): boolean {
  const shift = BigInt(block.bits - block.length);
  return block.bits === address.bits && block.value >> shift === address.value >> shift;
}

function parseAddress(text: string): ParsedAddress | null {
  if (isIPv4(text)) return { bits: 32, value: valueOfIPv4(text) };
  if (!isIPv6(text)) return null;
  // The zone after `%` names a network interface. It is not part of the address.
  const [bare = ""] = text.split("%");
  const [head = "", tail] = inGroups(bare).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: missing }, () => 0n), ...after];
  return { bits: 128, value: groups.reduce((value, group) => (value << 16n) | group, 0n) };
}

/** Converts the IPv4 notation at the end of `::ffff:1.2.3.4` to two groups. */
function inGroups(text: string): string {
  const start = text.lastIndexOf(":") + 1;
  const last = text.slice(start);
  if (!isIPv4(last)) return text;
  const value = valueOfIPv4(last);
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function groupsOf(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}

function valueOfIPv4(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function table(
  rows: readonly (readonly [string, AddressKind])[],
): readonly { readonly block: AddressBlock; readonly kind: AddressKind }[] {
  return rows.map(([text, kind]) => ({ block: blockOf(text), kind }));
}

function blockOf(text: string): AddressBlock {
  return required(parseBlock(text), `"${text}" is a block of addresses`);
}
