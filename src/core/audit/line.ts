import { canonicalJson, getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { AuditRecord } from "./record.ts";
import type { AuditCheckpoint, ExportHead, ExportHeader, PrunedSegments, PartlyPrunedSegment } from "./statement.ts";

/** A parsed value of an export, or a description of the error in its text. */
export type Read<T> = { readonly value: T } | { readonly wrong: string };

/** Parses a line. Only the one canonical text that RFC 8785 allows for the object is accepted. */
export function readCanonical(line: string): Read<JsonObject> {
  try {
    const value = JSON.parse(line) as Json;
    if (!isJsonObject(value)) return { wrong: "it is no JSON object" };
    if (canonicalJson(value) !== line || hasHalfPair(value)) return { wrong: "it is not canonical JSON" };
    return { value };
  } catch {
    // Not JSON, or nested more deeply than Sluice ever writes.
    return { wrong: "it is not JSON" };
  }
}

const HALF_PAIR = /\p{Surrogate}/u;

function hasHalfPair(value: Json): boolean {
  if (typeof value === "string") return HALF_PAIR.test(value);
  if (isJsonArray(value)) return value.some(hasHalfPair);
  return isJsonObject(value) && Object.entries(value).some(([key, item]) => HALF_PAIR.test(key) || hasHalfPair(item));
}

type Kind = "text" | "hash" | "seq" | "count" | "object" | "texts" | "gone";
type Shape = Readonly<Record<string, Kind>>;

const SIGNED = { org: "text", key: "text", signature: "text" } as const;
const SPAN = { at: "text", fromSeq: "seq", toSeq: "seq" } as const;

const RECORD: Shape = {
  seq: "seq",
  at: "text",
  org: "text",
  category: "text",
  type: "text",
  actor: "text",
  resource: "text",
  detail: "object",
  prevHash: "hash",
  hash: "hash",
};
const OF_RUN: Shape = { run: "text", node: "text" };

const STATEMENTS: Readonly<Record<string, Shape>> = {
  header: { kind: "text", format: "text", formerKeys: "texts", ...SIGNED },
  checkpoint: { kind: "text", prevHash: "hash", lastHash: "hash", root: "hash", ...SIGNED, ...SPAN },
  pruned: { kind: "text", prevHash: "hash", lastHash: "hash", ...SIGNED, ...SPAN },
  thinned: { kind: "text", gone: "gone", ...SIGNED, ...SPAN },
  head: { kind: "text", at: "text", seq: "count", hash: "hash", checkpointSeq: "count", ...SIGNED },
};

export type Line = AuditRecord | ExportHeader | AuditCheckpoint | PrunedSegments | PartlyPrunedSegment | ExportHead;

/** Checks whether a line is a record. A record is the only line without a `kind`. */
export function isRecord(line: Line): line is AuditRecord {
  return !Object.hasOwn(line, "kind");
}

export function readLine(text: string): Read<Line> {
  const read = readCanonical(text);
  if ("wrong" in read) return read;
  const kind = getOwn(read.value, "kind");
  if (kind === undefined) return shaped(read.value, RECORD, OF_RUN);
  const shape = typeof kind === "string" ? getOwn(STATEMENTS, kind) : undefined;
  return shape === undefined ? { wrong: "its kind is none of an export's" } : shaped(read.value, shape, {});
}

function shaped(value: JsonObject, needed: Shape, allowed: Shape): Read<Line> {
  for (const [name, kind] of Object.entries(needed)) {
    const member = getOwn(value, name);
    if (member === undefined) return { wrong: `"${name}" is missing` };
    if (!CHECKS[kind](member)) return { wrong: `"${name}" is not what it should be` };
  }
  for (const [name, member] of Object.entries(value)) {
    const kind = getOwn(needed, name) ?? getOwn(allowed, name);
    if (kind === undefined || !CHECKS[kind](member)) return { wrong: `"${name}" does not belong there` };
  }
  // All fields have been checked above.
  return { value: value as unknown as Line };
}

const HASH = /^[0-9a-f]{64}$/;
const isHash = (value: Json | undefined): boolean => typeof value === "string" && HASH.test(value);
const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isSeq = (value: Json | undefined): boolean => isCount(value) && Number(value) >= 1;

const CHECKS: Readonly<Record<Kind, (value: Json) => boolean>> = {
  text: (value) => typeof value === "string",
  hash: isHash,
  seq: isSeq,
  count: isCount,
  object: isJsonObject,
  texts: (value) => isJsonArray(value) && value.every((item) => typeof item === "string"),
  gone: (value) =>
    isJsonArray(value) &&
    value.every((pair) => isJsonArray(pair) && pair.length === 2 && isSeq(pair[0]) && isHash(pair[1])),
};
