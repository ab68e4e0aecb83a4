import type { AuditRecord } from "../../core/audit/index.ts";
import type { AuditSelection, SegmentRead } from "../audit-store.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Sql } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import { columnsOf, isWanted, rarestFacet, readLines, type SealedLine, unpackLines } from "./audit-block-rows.ts";
import { bigint, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export const SEGMENT = new Columns({
  fromSeq: bigint,
  toSeq: bigint,
  at: bigint,
  checkpoint: optional(text),
  pruned: optional(text),
});

/** One statement, so that nothing is packed or pruned between reading the segment and reading its records. */
const READ_SEGMENT = {
  name: "read audit segment",
  text: `with closed as materialized (
      select ${SEGMENT.list()} from audit_segments where org_id = $1 and to_seq > $2 order by to_seq limit 1
    )
    select ${SEGMENT.list()}, null as body, null as packed from closed
    union all
    select null, null, null, null, null, body, null from audit_records
    where org_id = $1 and seq > $2 and seq <= coalesce((select least(to_seq, $3) from closed), $3)
    union all
    select null, null, null, null, null, null, encode(b.body, 'base64') from audit_blocks b
    where b.org_id = $1 and b.to_seq = (select to_seq from closed) and b.at = (select at from closed)
    union all
    select null, null, null, null, null, null, encode(o.body, 'base64') from audit_open o
    where o.org_id = $1 and o.to_seq > $2 and not exists (select from closed)`,
};

export async function readSegment(
  sql: Sql,
  orgId: string,
  afterSeq: number,
  toSeq: number,
): Promise<SegmentRead | null> {
  const rows = await sql.query(READ_SEGMENT, [orgId, afterSeq, toSeq]);
  const found = SEGMENT.first(rows.filter((row) => row["from_seq"] !== null));
  const closed = found !== undefined && found.toSeq <= toSeq ? found : null;
  const lines = (await linesIn(rows)).filter(({ record }) => record.seq > afterSeq && record.seq <= toSeq);
  lines.sort((left, right) => left.record.seq - right.record.seq);
  if (closed === null && lines.length === 0) return null;
  const isPacked = rows.some((row) => row["packed"] !== null);
  const columns = await columnsOf(sql, orgId, isPacked && found !== undefined ? found.toSeq : null, lines);
  return { toSeq: closed?.toSeq ?? toSeq, closed, lines: lines.map(({ line }) => line), columns };
}

interface Holder {
  readonly body?: unknown;
  readonly packed?: unknown;
}

/** Returns the records in rows that contain either one record or many packed ones. */
async function linesIn(rows: readonly Holder[]): Promise<SealedLine[]> {
  const lines: SealedLine[] = [];
  for (const { body, packed } of rows) {
    if (typeof body === "string") lines.push(...readLines([body]));
    else if (typeof packed === "string") lines.push(...readLines(await unpackLines(packed)));
  }
  return lines;
}

const UNPACKED = "select body from audit_records where org_id = $1 and ($2::bigint is null or seq < $2)";
const OPEN = {
  name: "list open audit",
  text: "select encode(body, 'base64') as packed from audit_open where org_id = $1",
};

/** Number of blocks read in one step. */
const BLOCKS = 4;

/** Finds the last segment with records before a given number. */
const LAST_BEFORE = {
  name: "last audit segment before",
  text: `select min(to_seq) as to_seq from audit_segments where org_id = $1 and to_seq >= $2::bigint - 1`,
};
const SEGMENTS = {
  name: "list audit segments",
  text: `select to_seq, at from audit_segments
    where org_id = $1 and checkpoint is not null and to_seq <= $2::bigint order by to_seq desc limit ${BLOCKS}`,
};
const SEGMENTS_OF_FACET = {
  name: "list audit segments of facet",
  text: `select s.to_seq, s.at from audit_facets f join audit_segments s on s.org_id = f.org_id and s.to_seq = f.to_seq
    where f.org_id = $1 and f.facet = $3 and f.to_seq <= $2::bigint order by f.to_seq desc limit ${BLOCKS}`,
};
const BLOCKS_OF = {
  name: "read audit blocks",
  text: `select encode(body, 'base64') as packed from audit_blocks
    where org_id = $1 and to_seq = any($2::bigint[]) and at = any($3::bigint[])`,
};

/** A number greater than the `seq` of every record. */
const NO_SEQ = Number.MAX_SAFE_INTEGER;

/** Returns records, newest first. */
export async function listRecords(
  sql: Sql,
  orgId: string,
  filter: AuditSelection,
  page: Page,
): Promise<Listed<AuditRecord>> {
  const before = decodeCursor(page.cursor)?.at ?? NO_SEQ;
  const isFound = (line: SealedLine): boolean => line.record.seq < before && isWanted(line, filter);
  const found = [
    ...(await listUnpacked(sql, orgId, filter, before, page.limit)),
    ...(await linesIn(await sql.query(OPEN, [orgId]))).filter(isFound),
  ];
  const facet = rarestFacet(filter);
  for (let last = await lastBefore(sql, orgId, before); found.length <= page.limit;) {
    const segments =
      facet === null
        ? await sql.query<BlockPlaceRow>(SEGMENTS, [orgId, last])
        : await lookUp<BlockPlaceRow>(sql, SEGMENTS_OF_FACET, [orgId, last, facet]);
    const oldest = segments.at(-1);
    if (oldest === undefined) break;
    const places = [segments.map(({ to_seq }) => to_seq), segments.map(({ at }) => at)];
    found.push(...(await linesIn(await sql.query(BLOCKS_OF, [orgId, ...places]))).filter(isFound));
    last = oldest.to_seq - 1;
  }
  const records = found.map(({ record }) => record).toSorted((left, right) => right.seq - left.seq);
  return listed(records, page.limit, ({ seq }) => ({ at: seq, id: "" }));
}

interface BlockPlaceRow {
  readonly to_seq: number;
  readonly at: number;
}

async function lastBefore(sql: Sql, orgId: string, seq: number): Promise<number> {
  if (seq === NO_SEQ) return NO_SEQ;
  const [row] = await sql.query<{ to_seq: number | null }>(LAST_BEFORE, [orgId, seq]);
  return row?.to_seq ?? NO_SEQ;
}

/** Returns records that were sealed before blocks existed. */
async function listUnpacked(
  sql: Sql,
  orgId: string,
  { run, type, category }: AuditSelection,
  before: number,
  limit: number,
): Promise<readonly SealedLine[]> {
  const wanted = Object.entries({ category, type, run_id: run }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
  const conditions = wanted.map(({ column }, index) => ` and ${column} = $${index + 4}`).join("");
  const statement = {
    name: ["list audit", ...wanted.map(({ column }) => column)].join(" "),
    text: `${UNPACKED}${conditions} order by seq desc limit $3`,
  };
  const params = [orgId, before, limit + 1, ...wanted.map(({ value }) => value)];
  return linesIn(await lookUp<{ body: string }>(sql, statement, params));
}
