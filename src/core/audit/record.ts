import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson, isJsonArray, utf8Length, type Json, type JsonObject } from "../base/index.ts";
import type { AuditEntry } from "./entry.ts";

/** One record of the audit chain, as it is stored and exported. */
export interface AuditRecord extends Omit<AuditEntry, "at"> {
  /** Position in the chain of the organisation: 1, 2, 3, … */
  readonly seq: number;
  /** Time in ISO 8601, UTC, with milliseconds. */
  readonly at: string;
  readonly org: string;
  readonly prevHash: string;
  readonly hash: string;
}

/** The `prevHash` of the first record of an organisation. */
export const GENESIS_HASH = "0".repeat(64);

/** A larger detail is replaced by its digest and size. */
export const DETAIL_BYTES_MAX = 65_536;
/** Maximum depth of a detail. A deeper value could overflow the stack of recursive code. */
export const DETAIL_DEPTH_MAX = 64;

type Link = Pick<AuditRecord, "org" | "seq" | "prevHash">;

/**
 * Hashes a record: SHA-256 over a zero byte, the previous hash, the organisation, the number as eight bytes, and the
 * canonical JSON of everything except the hash itself. The zero byte separates records from inner nodes of the Merkle
 * tree.
 */
function hashRecord({ org, seq, prevHash }: Link, payload: string): string {
  const link = concatBytes(RECORD_PREFIX, hexToBytes(prevHash), utf8ToBytes(org), bytesOf(seq), utf8ToBytes(payload));
  return bytesToHex(sha256(link));
}

/** Recomputes the hash of a record from its content. */
export function rehash(record: AuditRecord): string {
  const { hash: _, ...unhashed } = { ...record } as unknown as JsonObject;
  return hashRecord(record, canonicalJson(unhashed));
}

const RECORD_PREFIX = Uint8Array.of(0);

/** Encodes the number as eight bytes, big-endian. Numbers of records stay below 2^53. */
function bytesOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8);
  let rest = seq;
  for (let place = 7; rest > 0; place -= 1) {
    bytes[place] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

/**
 * Links an entry to `prevHash`: returns its hash and its line of canonical JSON. The fields are written by hand, in the
 * order of their names, because this is the most frequent work of the sealer.
 */
export function linkRecord(
  link: Link & Pick<AuditRecord, "at">,
  { category, type, actor, resource, run, node, detail }: AuditEntry,
): { readonly hash: string; readonly line: string } {
  const { org, seq, prevHash, at } = link;
  const before = `{"actor":${quoted(actor)},"at":${quoted(at)},"category":${quoted(category)},"detail":${textOf(detail)}`;
  const ofNode = node === undefined ? "" : `"node":${quoted(node)},`;
  const ofRun = run === undefined ? "" : `"run":${quoted(run)},`;
  const after =
    `${ofNode}"org":${quoted(org)},"prevHash":"${prevHash}","resource":${quoted(resource)},` +
    `${ofRun}"seq":${seq},"type":${quoted(type)}}`;
  const hash = hashRecord(link, `${before},${after}`);
  return { hash, line: `${before},"hash":"${hash}",${after}` };
}

/** Returns the canonical text of a detail. When the detail is too large, returns the canonical text of its digest. */
function textOf(detail: JsonObject): string {
  const text = canonicalJson(cleaned(detail, 0));
  const bytes = utf8Length(text);
  if (bytes <= DETAIL_BYTES_MAX) return text;
  return canonicalJson({ bytes, digest: `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}` });
}

/** RFC 8785 allows no unpaired surrogates and no non-finite numbers, but external data may contain both. They are replaced. */
function cleaned(value: Json | undefined, depth: number): Json {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === undefined || value === null || typeof value === "boolean") return value ?? null;
  if (depth >= DETAIL_DEPTH_MAX) return "…";
  if (isJsonArray(value)) return value.map((item) => cleaned(item, depth + 1));
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value) as [string, Json | undefined][]) {
    if (member !== undefined) members.push([wellFormed(key), cleaned(member, depth + 1)]);
  }
  return Object.fromEntries(members);
}

const HALF_PAIR = /\p{Surrogate}/gu;

function quoted(text: string): string {
  return JSON.stringify(wellFormed(text));
}

function wellFormed(text: string): string {
  return isPlain(text) ? text : text.replace(HALF_PAIR, "\ufffd");
}

/** Checks for surrogates. Most texts contain none, and checking is cheaper than replacing. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if ((text.charCodeAt(index) & 0xf800) === 0xd800) return false;
  return true;
}
