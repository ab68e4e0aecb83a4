import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson, isJsonArray, isJsonObject, utf8Length, type Json, type JsonObject } from "../base/index.ts";
import type { AuditEntry } from "./entry.ts";

/** A link of the chain, as it is kept and exported. */
export interface AuditRecord extends Omit<AuditEntry, "at"> {
  /** 1, 2, 3, … within the organisation. */
  readonly seq: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly org: string;
  readonly prevHash: string;
  readonly hash: string;
}

/** What the first record of an organisation follows. */
export const GENESIS_HASH = "0".repeat(64);

/** A larger detail is kept as its digest and size. */
export const DETAIL_BYTES_MAX = 65_536;
/** A deeper value would risk the stack of whoever walks it. */
export const DETAIL_DEPTH_MAX = 64;

type Link = Pick<AuditRecord, "org" | "seq" | "prevHash">;

/**
 * SHA-256 over a zero byte, the hash before, the organisation, the number as eight bytes, and the canonical JSON of
 * everything but the hash itself. The zero keeps records apart from inner nodes of the tree over them.
 */
function hashRecord({ org, seq, prevHash }: Link, payload: string): string {
  const link = concatBytes(RECORD_PREFIX, hexToBytes(prevHash), utf8ToBytes(org), bytesOf(seq), utf8ToBytes(payload));
  return bytesToHex(sha256(link));
}

/** What the hash of a record must be, by its content. */
export function rehash(record: AuditRecord): string {
  const { hash: _, ...unhashed } = { ...record } as unknown as JsonObject;
  return hashRecord(record, canonicalJson(unhashed));
}

const RECORD_PREFIX = Uint8Array.of(0);

/** Big-endian; numbers of records stay below 2^53. */
function bytesOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8);
  let rest = seq;
  for (let place = 7; rest > 0; place -= 1) {
    bytes[place] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

/** An entry as the next link after `prevHash`: its hash, and the one line of canonical JSON it is kept as. */
export function linkRecord(
  link: Link & Pick<AuditRecord, "at">,
  { category, type, actor, resource, run, node, detail }: AuditEntry,
): { readonly hash: string; readonly line: string } {
  const { org, seq, prevHash, at } = link;
  // The members before and after `hash` in the order of their names: the text is made once for both uses.
  const before = canonicalJson({ actor: wellFormed(actor), at, category, detail: storable(detail) }).slice(0, -1);
  const after = canonicalJson({
    ...(node === undefined ? {} : { node: wellFormed(node) }),
    org,
    prevHash,
    resource: wellFormed(resource),
    ...(run === undefined ? {} : { run: wellFormed(run) }),
    seq,
    type,
  }).slice(1);
  const hash = hashRecord(link, `${before},${after}`);
  return { hash, line: `${before},"hash":"${hash}",${after}` };
}

/** RFC 8785 knows no half of a surrogate pair and no number without a value; JSON texts from outside may hold both. */
function storable(detail: JsonObject): JsonObject {
  const clean = cleaned(detail, 0);
  const kept = isJsonObject(clean) ? clean : {};
  const text = canonicalJson(kept);
  const bytes = utf8Length(text);
  if (bytes <= DETAIL_BYTES_MAX) return kept;
  return { bytes, digest: `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}` };
}

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

function wellFormed(text: string): string {
  return text.replace(HALF_PAIR, "\ufffd");
}
