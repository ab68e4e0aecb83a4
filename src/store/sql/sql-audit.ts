import { GENESIS_HASH, type AuditHead, type OpenSegment } from "../../core/audit/index.ts";
import { appendedAuditId, runOfAuditId } from "../audit-id.ts";
import { unpackAudit } from "../audit-pack.ts";
import type { AuditStore, ClosedSegment, ComputePrune, ComputeSeal, PruneAsked, Sealed } from "../audit-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { packLines, putBlocks, readLines, replaceBlocks, unpackLines } from "./audit-block-rows.ts";
import { listRecords, readSegment, SEGMENT } from "./audit-reading.ts";
import { pruneAuditTexts, readAuditTexts, saltsOf, writeAuditTexts } from "./audit-text-rows.ts";
import { bigint, Columns, optional, parsed, text } from "./columns.ts";

export function sqlAudit(sql: Sql): AuditStore {
  return {
    appendAudit: async (orgId, entries) => {
      if (entries.length === 0) return;
      await sql.query(APPEND, [appendedAuditId(), orgId, JSON.stringify(entries)]);
    },
    listPendingOrganisations: async (openedBefore, limit) =>
      orgsOf(await sql.query<OrgRow>(PENDING_ORGANISATIONS, [openedBefore, limit])),
    seal: (orgId, limit, compute) => sql.transaction((within) => seal(within, orgId, limit, compute)),
    auditHead: async (orgId) => HEAD_COLUMNS.first(await sql.query(HEAD, [orgId])) ?? EMPTY_HEAD,
    listAudit: (orgId, filter, page) => listRecords(sql, orgId, filter, page),
    auditTexts: (orgId, seqs) => readAuditTexts(sql, orgId, seqs),
    readSegment: (orgId, afterSeq, toSeq) => readSegment(sql, orgId, afterSeq, toSeq),
    listAudited: async (afterOrgId, limit) => orgsOf(await sql.query<OrgRow>(AUDITED, [afterOrgId, limit])),
    packAudit: () => sql.transaction((within) => packOne(within)),
    pruneSegment: (orgId, asked, compute) => sql.transaction((within) => prune(within, orgId, asked, compute)),
  };
}

interface OrgRow {
  readonly org_id: string;
}

function orgsOf(rows: readonly OrgRow[]): readonly string[] {
  return rows.map((row) => row.org_id);
}

const APPEND = {
  name: "append audit",
  text: `insert into audit_pending (id, org_id, at, body) values ($1, $2, ${NOW_MS}, $3)`,
};
const PENDING_ORGANISATIONS = {
  name: "organisations with audit to seal",
  text: `select org_id from audit_pending union select org_id from audit_heads where segment_opened_at < $1
    order by org_id limit $2`,
};
const AUDITED = {
  name: "audited organisations",
  text: "select org_id from audit_heads where org_id > $1 order by org_id limit $2",
};

const HEAD_COLUMNS = new Columns({ seq: bigint, hash: text, segment: optional(parsed<OpenSegment>()) });
const HEAD = { name: "audit head", text: `select ${HEAD_COLUMNS.list()} from audit_heads where org_id = $1` };
const LOCK_HEAD = {
  name: "lock audit head",
  text: `select ${HEAD_COLUMNS.list()} from audit_heads where org_id = $1 for update skip locked`,
};
const BEGIN_CHAIN = {
  name: "begin audit chain",
  text: `insert into audit_heads (org_id, seq, hash) values ($1, 0, '${GENESIS_HASH}')
    on conflict do nothing returning ${HEAD_COLUMNS.list()}`,
};

const EMPTY_HEAD: AuditHead = { seq: 0, hash: GENESIS_HASH, segment: null };

/** Locks the head of the chain. Only its holder may add to the chain or remove from it. Null when another caller holds it. */
async function lockHead(sql: Sql, orgId: string): Promise<AuditHead | null> {
  const held = HEAD_COLUMNS.first(await sql.query(LOCK_HEAD, [orgId]));
  return held ?? HEAD_COLUMNS.first(await sql.query(BEGIN_CHAIN, [orgId])) ?? null;
}

const PENDING = {
  name: "pending audit",
  text: "select id, at, body from audit_pending where org_id = $1 order by at, id limit $2",
};

interface PendingRow {
  readonly id: string;
  readonly at: number;
  readonly body: string;
}

async function seal(sql: Sql, orgId: string, limit: number, compute: ComputeSeal): Promise<Sealed | null> {
  const head = await lockHead(sql, orgId);
  if (head === null) return null;
  const rows = await sql.query<PendingRow>(PENDING, [orgId, limit]);
  const pending = rows.map(({ id, body }) => ({ id, entries: unpackAudit(runOfAuditId(id), body) }));
  const sealed = await compute(head, pending, (subjects) => saltsOf(sql, orgId, subjects));
  if (rows.length > 0 || sealed.segments.length > 0) await writeSealed(sql, orgId, rows, sealed);
  return sealed;
}

const WRITE_SEALED = {
  name: "write sealed audit",
  text: `with moved as (
      delete from audit_pending p using unnest($6::bigint[], $7::text[]) as taken(at, id)
      where p.org_id = $1 and p.at = taken.at and p.id = taken.id
    )
    update audit_heads set seq = $2, hash = $3, segment = $4, segment_opened_at = $5 where org_id = $1`,
};
const PUT_OPEN = {
  name: "put open audit",
  text: "insert into audit_open (org_id, to_seq, newest_at, body) values ($1, $2, $3, decode($4, 'base64'))",
};
const CLOSE_SEGMENT = {
  name: "close audit segment",
  text: `insert into audit_segments (${SEGMENT.list()}, org_id) values (${SEGMENT.places}, $6)`,
};

async function writeSealed(sql: Sql, orgId: string, pending: readonly PendingRow[], sealed: Sealed): Promise<void> {
  const { head, records, segments } = sealed;
  await sql.query(WRITE_SEALED, [
    orgId,
    head.seq,
    head.hash,
    head.segment === null ? null : JSON.stringify(head.segment),
    head.segment?.openedAt ?? null,
    pending.map(({ at }) => at),
    pending.map(({ id }) => id),
  ]);
  await writeAuditTexts(sql, orgId, sealed.texts ?? []);
  const lines = records.map(({ line }) => line);
  const rest = segments.length === 0 ? lines : await closeSegments(sql, orgId, segments, lines);
  if (rest.length === 0) return;
  const newestAt = records.reduce((newest, { at }) => Math.max(newest, at), 0);
  await sql.query(PUT_OPEN, [orgId, head.seq, newestAt, await packLines(rest)]);
}

const TAKE_OPEN = {
  name: "take open audit",
  text: "delete from audit_open where org_id = $1 returning to_seq, encode(body, 'base64') as packed",
};

/** Packs the records of segments that are now closed. Returns the lines that belong to none of them. */
async function closeSegments(
  sql: Sql,
  orgId: string,
  segments: readonly ClosedSegment[],
  lines: readonly string[],
): Promise<readonly string[]> {
  await sql.query(ALLOW_PRUNING);
  const open = await sql.query<{ to_seq: number; packed: string }>(TAKE_OPEN, [orgId]);
  const before = await Promise.all(
    open.toSorted((a, b) => a.to_seq - b.to_seq).map(({ packed }) => unpackLines(packed)),
  );
  let rest = readLines([...before.flat(), ...lines]);
  for (const segment of segments) {
    await sql.query(CLOSE_SEGMENT, [...SEGMENT.values(segment), orgId]);
    const unpacked = readLines(await takeUnpacked(sql, orgId, segment));
    const own = [...unpacked, ...rest.filter(({ record }) => record.seq <= segment.toSeq)];
    await putBlocks(sql, orgId, segment, own);
    rest = rest.filter(({ record }) => record.seq > segment.toSeq);
  }
  return rest.map(({ line }) => line);
}

/** Takes records that were sealed before blocks existed, one per row. Only allowed during pruning. */
const TAKE_UNPACKED = {
  name: "take unpacked audit",
  text: "delete from audit_records where org_id = $1 and seq >= $2 and seq <= $3 returning seq, body",
};

async function takeUnpacked(sql: Sql, orgId: string, { fromSeq, toSeq }: ClosedSegment): Promise<readonly string[]> {
  const rows = await sql.query<{ seq: number; body: string }>(TAKE_UNPACKED, [orgId, fromSeq, toSeq]);
  return rows.toSorted((a, b) => a.seq - b.seq).map(({ body }) => body);
}

const NEXT_TO_PACK = {
  name: "next audit segment to pack",
  text: `select r.org_id, s.from_seq, s.to_seq, s.at, s.checkpoint, s.pruned from audit_records r
    join audit_segments s on s.org_id = r.org_id and s.to_seq >= r.seq and s.from_seq <= r.seq limit 1`,
};

async function packOne(sql: Sql): Promise<boolean> {
  const rows = await sql.query(NEXT_TO_PACK);
  const segment = SEGMENT.first(rows);
  const orgId = rows[0]?.["org_id"];
  if (segment === undefined || typeof orgId !== "string" || (await lockHead(sql, orgId)) === null) return false;
  await sql.query(ALLOW_PRUNING);
  await putBlocks(sql, orgId, segment, readLines(await takeUnpacked(sql, orgId, segment)));
  return true;
}

const ALLOW_PRUNING = { name: "allow pruning", text: "select set_config('sluice.prune', 'on', true)" };
const NEXT_TO_PRUNE = {
  name: "next audit segment to prune",
  text: `select ${SEGMENT.list()} from audit_segments
    where org_id = $1 and at >= $2 and at < $3 and asked <> $4 and checkpoint is not null order by at, to_seq limit 1`,
};
const EMPTY_BEFORE = {
  name: "empty audit segment before",
  text: `select ${SEGMENT.list()} from audit_segments
    where org_id = $1 and to_seq = $2 and checkpoint is null`,
};
const REMOVE_SEGMENT = {
  name: "remove audit segment",
  text: "delete from audit_segments where org_id = $1 and to_seq = $2",
};
const PRUNE_SEGMENT = {
  name: "prune audit segment",
  text: `update audit_segments set from_seq = $3, checkpoint = $4, pruned = $5, asked = $6
    where org_id = $1 and to_seq = $2`,
};

async function prune(sql: Sql, orgId: string, asked: PruneAsked, compute: ComputePrune): Promise<boolean> {
  if ((await lockHead(sql, orgId)) === null) return false;
  const words = asked.categories.join(" ");
  const next = SEGMENT.first(await sql.query(NEXT_TO_PRUNE, [orgId, asked.from, asked.before, words]));
  if (next === undefined) return false;
  const before = SEGMENT.first(await sql.query(EMPTY_BEFORE, [orgId, next.fromSeq - 1]));
  const read = await readSegment(sql, orgId, next.fromSeq - 1, next.toSeq);
  if (read === null) return false;
  const { segment, gone } = compute(read, before ?? null);
  await sql.query(ALLOW_PRUNING);
  await takeUnpacked(sql, orgId, next);
  const lines = readLines(read.lines);
  const isGone = new Set(gone);
  await replaceBlocks(
    sql,
    orgId,
    next,
    lines,
    lines.filter(({ record }) => !isGone.has(record.seq)),
  );
  await pruneAuditTexts(sql, orgId, gone);
  if (before !== undefined && segment.fromSeq === before.fromSeq) {
    await sql.query(REMOVE_SEGMENT, [orgId, before.toSeq]);
  }
  const { fromSeq, toSeq, checkpoint, pruned } = segment;
  await sql.query(PRUNE_SEGMENT, [orgId, toSeq, fromSeq, checkpoint, pruned, words]);
  return true;
}
