import {
  type AuditCategory,
  CATEGORY_OF,
  GENESIS_HASH,
  type AuditHead,
  type AuditRecord,
  type AuditType,
  type OpenSegment,
} from "../../core/audit/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import type {
  AuditSelection,
  AuditStore,
  ComputePrune,
  ComputeSeal,
  PendingAudit,
  PruneAsked,
  Sealed,
  SegmentRead,
} from "../audit-store.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { NOW_MS, type Sql, type Statement } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import { pruneAuditTexts, readAuditTexts, saltsOf, writeAuditTexts } from "./audit-text-rows.ts";
import { bigint, Columns, jsonText, oneOf, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

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
    listAudit: (orgId, filter, page) => list(sql, orgId, filter, page),
    auditTexts: (orgId, seqs) => readAuditTexts(sql, orgId, seqs),
    readSegment: (orgId, afterSeq, toSeq) => readSegment(sql, orgId, afterSeq, toSeq),
    listAudited: async (afterOrgId, limit) => orgsOf(await sql.query<OrgRow>(AUDITED, [afterOrgId, limit])),
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

/** The holder of the head is the only one that adds to the chain or removes from it; null for all others. */
async function lockHead(sql: Sql, orgId: string): Promise<AuditHead | null> {
  const held = HEAD_COLUMNS.first(await sql.query(LOCK_HEAD, [orgId]));
  return held ?? HEAD_COLUMNS.first(await sql.query(BEGIN_CHAIN, [orgId])) ?? null;
}

const PENDING = {
  name: "pending audit",
  text: "select id, body from audit_pending where org_id = $1 order by at, id limit $2",
};

async function seal(sql: Sql, orgId: string, limit: number, compute: ComputeSeal): Promise<Sealed | null> {
  const head = await lockHead(sql, orgId);
  if (head === null) return null;
  const pending = await sql.query<PendingAudit>(PENDING, [orgId, limit]);
  const sealed = await compute(head, pending, (subjects) => saltsOf(sql, orgId, subjects));
  if (pending.length > 0 || sealed.segments.length > 0) await writeSealed(sql, orgId, pending, sealed);
  return sealed;
}

const RECORD = new Columns(
  {
    seq: bigint,
    at: bigint,
    category: oneOf<AuditCategory>(),
    type: oneOf<AuditType>(),
    run: optional(text),
    line: jsonText,
  },
  { run: "run_id", line: "body" },
);

const SEGMENT = new Columns({
  fromSeq: bigint,
  toSeq: bigint,
  at: bigint,
  checkpoint: optional(text),
  pruned: optional(text),
});

const WRITE_SEALED = {
  name: "write sealed audit",
  text: `with sealed as (
      insert into audit_records (org_id, ${RECORD.list()})
      select $1, i.* from ${RECORD.unnest(6)}
    ), moved as (delete from audit_pending where id = any($12::text[]))
    update audit_heads set seq = $2, hash = $3, segment = $4, segment_opened_at = $5 where org_id = $1`,
};
const CLOSE_SEGMENT = {
  name: "close audit segment",
  text: `insert into audit_segments (${SEGMENT.list()}, org_id) values (${SEGMENT.places}, $6)`,
};

async function writeSealed(sql: Sql, orgId: string, pending: readonly PendingAudit[], sealed: Sealed): Promise<void> {
  const { head, records, segments } = sealed;
  await sql.query(WRITE_SEALED, [
    orgId,
    head.seq,
    head.hash,
    head.segment === null ? null : JSON.stringify(head.segment),
    head.segment?.openedAt ?? null,
    ...RECORD.batch(records),
    pending.map(({ id }) => id),
  ]);
  await writeAuditTexts(sql, orgId, sealed.texts ?? []);
  for (const segment of segments) await sql.query(CLOSE_SEGMENT, [...SEGMENT.values(segment), orgId]);
}

async function list(sql: Sql, orgId: string, filter: AuditSelection, page: Page): Promise<Listed<AuditRecord>> {
  const { type, run } = filter;
  // Types are found by the index of their category.
  const category = filter.category ?? (type === undefined ? undefined : CATEGORY_OF[type]);
  const wanted = Object.entries({ category, type, run_id: run }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
  const rows = await lookUp<{ body: string }>(sql, listStatement(wanted.map(({ column }) => column)), [
    orgId,
    decodeCursor(page.cursor)?.at ?? null,
    page.limit + 1,
    ...wanted.map(({ value }) => value),
  ]);
  const records = rows.map(({ body }) => JSON.parse(body) as AuditRecord);
  return listed(records, page.limit, ({ seq }) => ({ at: seq, id: "" }));
}

/** One statement for each set of filters: a plan for all of them at once would use the index of none. */
function listStatement(columns: readonly string[]): Statement {
  const conditions = columns.map((column, index) => ` and ${column} = $${index + 4}`).join("");
  return {
    name: ["list audit", ...columns].join(" "),
    text: `select body from audit_records where org_id = $1 and ($2::bigint is null or seq < $2)${conditions}
      order by seq desc limit $3`,
  };
}

/** One statement, so that nothing is pruned between the segment and its records. */
const READ_SEGMENT = {
  name: "read audit segment",
  text: `with closed as materialized (
      select ${SEGMENT.list()} from audit_segments
      where org_id = $1 and to_seq > $2 order by to_seq limit 1
    ), within as materialized (select * from closed where to_seq <= $3)
    select ${SEGMENT.list()}, null as body, null as category, null as type, null as run_id
    from within
    union all (
      select null, seq, at, null, null, body, category, type, run_id from audit_records
      where org_id = $1 and seq > $2 and seq <= coalesce((select to_seq from within), $3) order by seq
    )`,
};

/** A record in the same columns: its number stands where a segment has its last one. */
const RECORD_READ = new Columns(RECORD.fields, { seq: "to_seq", run: "run_id", line: "body" });

async function readSegment(sql: Sql, orgId: string, afterSeq: number, toSeq: number): Promise<SegmentRead | null> {
  const rows = await sql.query(READ_SEGMENT, [orgId, afterSeq, toSeq]);
  const records = RECORD_READ.all(rows.filter((row) => row["from_seq"] === null));
  const read = {
    lines: records.map(({ line }) => line),
    columns: records.map(({ seq, at, category, type, run }) => ({ seq, at, category, type, run })),
  };
  const closed = SEGMENT.first(rows.filter((row) => row["from_seq"] !== null));
  if (closed !== undefined) return { toSeq: closed.toSeq, closed, ...read };
  return rows.length === 0 ? null : { toSeq, closed: null, ...read };
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
const PRUNE_RECORDS = {
  name: "prune audit records",
  text: "delete from audit_records where org_id = $1 and seq = any($2::bigint[])",
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
  if (gone.length > 0) await sql.query(PRUNE_RECORDS, [orgId, [...gone]]);
  await pruneAuditTexts(sql, orgId, gone);
  if (before !== undefined && segment.fromSeq === before.fromSeq) {
    await sql.query(REMOVE_SEGMENT, [orgId, before.toSeq]);
  }
  const { fromSeq, toSeq, checkpoint, pruned } = segment;
  await sql.query(PRUNE_SEGMENT, [orgId, toSeq, fromSeq, checkpoint, pruned, words]);
  return true;
}
