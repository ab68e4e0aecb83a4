import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { AuditCategory, AuditRecord } from "../../core/audit/index.ts";
import type { AuditSelection, RecordColumns } from "../audit-store.ts";
import type { Sql } from "../sql.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** Compression level. Most of a record is a hash, which cannot be compressed, so a higher level takes longer and saves little. */
const LEVEL = 4;

/** Categories kept for ever by default. Their blocks are stored in a partition that is never dropped. */
const KEPT: ReadonlySet<AuditCategory> = new Set(["governance", "security"]);

/** A record of the chain: its line and the parsed content of the line. */
export interface SealedLine {
  readonly record: AuditRecord;
  readonly line: string;
}

export function readLines(lines: readonly string[]): readonly SealedLine[] {
  return lines.map((line) => ({ record: JSON.parse(line) as AuditRecord, line }));
}

/** Packs lines as base64, because statements take texts. Lines are joined by line feeds, which canonical JSON does not contain. */
export async function packLines(lines: readonly string[]): Promise<string> {
  return (await deflate(Buffer.from(lines.join("\n")), { level: LEVEL })).toString("base64");
}

export async function unpackLines(packed: string): Promise<readonly string[]> {
  return (await inflate(Buffer.from(packed, "base64"))).toString().split("\n");
}

/** Returns the search keys of a record. */
export function facetsOf({ run, type, category }: Pick<AuditRecord, "run" | "type" | "category">): readonly string[] {
  return [`type:${type}`, `category:${category}`, ...(run === undefined ? [] : [`run:${run}`])];
}

/** Returns the facet that is in the fewest blocks; null when all blocks must be read. */
export function rarestFacet({ run, type, category }: AuditSelection): string | null {
  if (run !== undefined) return `run:${run}`;
  if (type !== undefined) return `type:${type}`;
  return category === undefined ? null : `category:${category}`;
}

export function isWanted({ record }: SealedLine, { run, type, category }: AuditSelection): boolean {
  return (
    (run === undefined || record.run === run) &&
    (type === undefined || record.type === type) &&
    (category === undefined || record.category === category)
  );
}

function allFacets(lines: readonly SealedLine[]): readonly string[] {
  return [...new Set(lines.flatMap(({ record }) => facetsOf(record)))];
}

const PUT_BLOCK = {
  name: "put audit block",
  text: `insert into audit_blocks (org_id, to_seq, is_kept, at, body) values ($1, $2, $3, $4, decode($5, 'base64'))`,
};
const PUT_FACETS = {
  name: "put audit facets",
  text: `insert into audit_facets (org_id, facet, to_seq) select $1, facet, $3 from unnest($2::text[]) facet
    on conflict do nothing`,
};

/** Location of a segment: its last number, and the time it was closed, which selects the partition. */
export interface BlockPlace {
  readonly toSeq: number;
  readonly at: number;
}

export async function putBlocks(
  sql: Sql,
  orgId: string,
  { toSeq, at }: BlockPlace,
  lines: readonly SealedLine[],
): Promise<void> {
  for (const isKept of [true, false]) {
    const some = lines.filter(({ record }) => KEPT.has(record.category) === isKept).map(({ line }) => line);
    if (some.length > 0) await sql.query(PUT_BLOCK, [orgId, toSeq, isKept, at, await packLines(some)]);
  }
  if (lines.length > 0) await sql.query(PUT_FACETS, [orgId, [...allFacets(lines)], toSeq]);
}

const REMOVE_BLOCKS = {
  name: "remove audit blocks",
  text: "delete from audit_blocks where org_id = $1 and to_seq = $2 and at = $3",
};
const REMOVE_FACETS = {
  name: "remove audit facets",
  text: "delete from audit_facets where org_id = $1 and facet = any($2::text[]) and to_seq = $3",
};

/** Replaces the blocks of a segment. Only allowed during pruning. */
export async function replaceBlocks(
  sql: Sql,
  orgId: string,
  place: BlockPlace,
  lines: readonly SealedLine[],
  left: readonly SealedLine[],
): Promise<void> {
  await sql.query(REMOVE_BLOCKS, [orgId, place.toSeq, place.at]);
  const stay = new Set(allFacets(left));
  const gone = allFacets(lines).filter((facet) => !stay.has(facet));
  await sql.query(REMOVE_FACETS, [orgId, gone, place.toSeq]);
  await putBlocks(sql, orgId, place, left);
}

const FIND_FACETS = {
  name: "find audit facets",
  text: "select facet from audit_facets where org_id = $1 and facet = any($2::text[]) and to_seq = $3",
};

/** Returns the search columns of each record of a block. A value whose facet is no longer stored for the block is null. */
export async function columnsOf(
  sql: Sql,
  orgId: string,
  toSeq: number | null,
  lines: readonly SealedLine[],
): Promise<readonly RecordColumns[]> {
  const wanted = toSeq === null ? [] : allFacets(lines);
  const rows = toSeq === null ? [] : await sql.query<{ facet: string }>(FIND_FACETS, [orgId, [...wanted], toSeq]);
  const found = new Set(rows.map(({ facet }) => facet));
  const kept = <T extends string>(name: string, value: T | undefined): T | null =>
    value !== undefined && (toSeq === null || found.has(`${name}:${value}`)) ? value : null;
  return lines.map(({ record: { seq, at, category, type, run } }) => ({
    seq,
    at: Date.parse(at),
    category: kept("category", category),
    type: kept("type", type),
    run: kept("run", run),
  }));
}
