import type { JsonObject } from "../../core/base/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import type { ErasureRecord, ErasureStore, Erasing } from "../erasure-store.ts";
import { arrayLiteral, NOW_MS, type Sql, type Statement } from "../sql.ts";
import { eraseApprovals, launchesAfter } from "./approval-rows.ts";
import { removeUnusedBlobs } from "./blob-rows.ts";
import { bigint, Columns, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlErasure(sql: Sql): ErasureStore {
  return {
    eraseRun: (orgId, runId, erasing) =>
      sql.transaction(async (within) => {
        const [head] = await lookUp<{ is_open: boolean }>(within, LOCK, [orgId, runId]);
        if (head === undefined) return "unknown";
        if (head.is_open) return "open";
        if ((await within.query(GET, [orgId, runId])).length > 0) return "already";
        await within.query(MARK_CHANGED, [runId]);
        await eraseLog(within, orgId, runId, erasing);
        await eraseApprovals(within, "run_id", runId, erasing.approval);
        for (const statement of REMOVE) await within.query(statement, [runId]);
        await removeUnusedBlobs(within, orgId, [runId]);
        await removeFiles(within, orgId, runId);
        await removeTexts(within, orgId, [runId]);
        await putErasure(within, orgId, { runId, at: erasing.at, by: erasing.by, sha256: erasing.sha256() });
        await within.query(APPEND_AUDIT, [appendedAuditId(), orgId, JSON.stringify([erasing.note()])]);
        return "erased";
      }),
    getErasure: async (orgId, runId) => ERASURE.first(await lookUp(sql, GET, [orgId, runId])),
    relatedRuns: async (orgId, runIds) =>
      (await sql.query<{ run_id: string }>(RELATED, [orgId, arrayLiteral(runIds)])).map((row) => row.run_id),
    eraseMentions: (orgId, runIds, rewrite) =>
      sql.transaction((within) => eraseMentions(within, orgId, runIds, rewrite)),
    eraseTraces: (orgId, { runIds, eventIds, fileHashes }) =>
      sql.transaction(async (within) => {
        await removeTexts(within, orgId, runIds);
        await within.query(REMOVE_EVENTS, [orgId, arrayLiteral(eventIds), arrayLiteral(runIds)]);
        await removeUnusedFiles(within, orgId, fileHashes);
      }),
    listLaunches: (orgId, afterId, limit) => launchesAfter(sql, orgId, afterId, limit),
    eraseLaunch: (orgId, approvalId, erase) =>
      sql.transaction(async (within) => {
        await eraseApprovals(within, "id", approvalId, erase);
        await within.query(REMOVE_COMMENTS, [orgId, approvalId]);
        await removeTexts(within, orgId, [`approval/${approvalId}`]);
      }),
  };
}

const ERASURE = new Columns({ runId: text, at: bigint, by: text, sha256: text });

const LOCK = {
  name: "lock run to erase",
  text: `select status in ('queued', 'running', 'recovered') as is_open from run_heads
    where org_id = $1 and run_id = $2 for update`,
};
/** Changes the version, so that a program with the run in memory notices the change. */
const MARK_CHANGED = {
  name: "mark erased run as changed",
  text: "update run_heads set row_version = row_version + 1, error_message = null where run_id = $1",
};
const GET = {
  name: "get run erasure",
  text: `select ${ERASURE.list()} from run_erasures where org_id = $1 and run_id = $2`,
};
const PUT = {
  name: "put run erasure",
  text: `insert into run_erasures (${ERASURE.list()}, org_id) values (${ERASURE.places}, $5) on conflict do nothing`,
};

export async function putErasure(sql: Sql, orgId: string, erasure: ErasureRecord): Promise<void> {
  await sql.query(PUT, [...ERASURE.values(erasure), orgId]);
}

const RELATED = {
  name: "related runs",
  text: `with recursive related (run_id) as (
      select run_id collate "C" from unnest($2::text[]) as i(run_id)
      union
      select next.run_id from related cross join lateral (
        select r.run_id from runs r where r.source_run_id = related.run_id
        union all select r.run_id from runs r where r.parent_run_id = related.run_id
        union all select p.run_id from runs own join runs p on p.run_id = own.parent_run_id
          where own.run_id = related.run_id
      ) next
    ) select run_id from related join runs r using (run_id) where r.org_id = $1 order by run_id`,
};
const READ_ARGS = { name: "args to erase", text: "select args from runs where run_id = $1" };
const WRITE_ARGS = { name: "erase args", text: "update runs set args = $2, labels = '{}' where run_id = $1" };
const READ_BLOCKS = {
  name: "blocks to erase",
  text: "select first_event_id, body from event_blocks where run_id = $1 order by first_event_id",
};
const WRITE_BLOCK = {
  name: "erase block",
  text: "update event_blocks set body = $3 where run_id = $1 and first_event_id = $2",
};
/** Removes the events that the log names, and the event that started the run: its id is the idempotency key of the start. */
const REMOVE_EVENTS = {
  name: "remove events of erased run",
  text: `delete from received_events where org_id = $1
    and (id = any($2::text[]) or id in (select key from idempotency_keys where run_id = any($3::text[]) and org_id = $1))`,
};
/** Tables whose rows contain only content. Idempotency keys are texts written by the callers who start runs. */
const OF_RUN = [
  "run_words",
  "verdict_blocks",
  "attempt_reports",
  "agent_memories",
  "webhook_deliveries",
  "idempotency_keys",
];
const REMOVE: readonly Statement[] = [
  {
    name: "remove comments of erased run",
    text: "delete from approval_comments where approval_id in (select id from approvals where run_id = $1)",
  },
  {
    name: "remove label facets of erased run",
    text: "delete from run_facets where run_id = $1 and facet like 'label:%'",
  },
  // Queues the run for indexing again, because an indexer may be about to write words read before the erasure.
  {
    name: "read words of erased run again",
    text: "insert into unindexed_runs (org_id, run_id) select org_id, run_id from runs where run_id = $1 and block is null",
  },
  ...OF_RUN.map((table) => ({
    name: `remove ${table} of erased run`,
    text: `delete from ${table} where run_id = $1`,
  })),
];
const REMOVE_COMMENTS = {
  name: "remove comments of erased launch",
  text: "delete from approval_comments where org_id = $1 and approval_id = $2",
};
const REMOVE_TEXTS = {
  name: "remove erased audit texts",
  text: "delete from audit_texts where org_id = $1 and subject = any($2::text[])",
};
const REMOVE_SALTS = {
  name: "remove erased audit salts",
  text: "delete from audit_salts where org_id = $1 and subject = any($2::text[])",
};
const APPEND_AUDIT = {
  name: "append audit of erasure",
  text: `insert into audit_pending (id, org_id, at, body) values ($1, $2, ${NOW_MS}, $3)`,
};

async function removeTexts(sql: Sql, orgId: string, subjects: readonly string[]): Promise<void> {
  for (const statement of [REMOVE_TEXTS, REMOVE_SALTS]) await sql.query(statement, [orgId, arrayLiteral(subjects)]);
}

async function eraseLog(sql: Sql, orgId: string, runId: string, erasing: Erasing): Promise<void> {
  const [run] = await sql.query<{ args: string }>(READ_ARGS, [runId]);
  const args = JSON.parse(run?.args ?? "{}") as JsonObject;
  await sql.query(WRITE_ARGS, [runId, JSON.stringify(erasing.args(args))]);
  const ids = new Set<string>();
  for (const row of await sql.query<{ first_event_id: number; body: string }>(READ_BLOCKS, [runId])) {
    const { body, events } = erasing.block(row.body);
    for (const id of events) ids.add(id);
    await sql.query(WRITE_BLOCK, [runId, row.first_event_id, body]);
  }
  await sql.query(REMOVE_EVENTS, [orgId, arrayLiteral([...ids]), arrayLiteral([runId])]);
}

const FIND_MENTIONS = {
  name: "blocks that mention erased runs",
  text: `select run_id, first_event_id from event_blocks
    where org_id = $1 and body like '%"instructions":%' and body like any($2::text[]) and run_id <> all($3::text[])
    order by run_id, first_event_id`,
};
const READ_BLOCK = {
  name: "block that mentions erased runs",
  text: "select body from event_blocks where run_id = $1 and first_event_id = $2",
};
const REMOVE_REPORTS = {
  name: "reports that mention erased runs",
  text: "delete from attempt_reports where org_id = $1 and (messages like any($2::text[]) or logs like any($2::text[]))",
};

/** The number keeps the ids of one trigger apart. */
const REPLACE_DELIVERY_IDS = {
  name: "replace ids of deliveries that started erased runs",
  text: `update trigger_deliveries set delivery_id = 'erased ' || seq where org_id = $1 and run_id = any($2::text[])`,
};

/** Locks the runs, so that their logs are not joined meanwhile. */
const LOCK_MENTIONING = {
  name: "lock runs that mention erased runs",
  text: "select run_id from run_heads where run_id = any($1::text[]) order by run_id for update",
};

async function eraseMentions(
  sql: Sql,
  orgId: string,
  runIds: readonly string[],
  rewrite: (body: string) => string,
): Promise<number> {
  if (runIds.length === 0) return 0;
  const patterns = arrayLiteral(runIds.map((runId) => `%${runId.replaceAll(/[\\%_]/g, "\\$&")}%`));
  const find = (): Promise<readonly { run_id: string; first_event_id: number }[]> =>
    sql.query(FIND_MENTIONS, [orgId, patterns, arrayLiteral(runIds)]);
  await sql.query(LOCK_MENTIONING, [[...new Set((await find()).map(({ run_id }) => run_id))]]);
  const found = await find();
  for (const { run_id, first_event_id } of found) {
    const [block] = await sql.query<{ body: string }>(READ_BLOCK, [run_id, first_event_id]);
    if (block !== undefined) await sql.query(WRITE_BLOCK, [run_id, first_event_id, rewrite(block.body)]);
  }
  await sql.query(REMOVE_REPORTS, [orgId, patterns]);
  await sql.query(REPLACE_DELIVERY_IDS, [orgId, arrayLiteral(runIds)]);
  return found.length;
}

const REMOVE_REFERENCES = {
  name: "remove file references of erased run",
  text: "delete from file_references where run_id = $1 returning sha256",
};
/** Removes files at once, without the day for which files without a run are kept. */
const REMOVE_FILES = {
  name: "remove files of erased run",
  text: `with gone as (
      delete from files f where f.org_id = $1 and f.sha256 = any($2::text[])
        and not exists (select from file_references r where r.org_id = f.org_id and r.sha256 = f.sha256)
      returning org_id, place, sha256
    ), uploads as (
      delete from file_uploads u using gone where u.org_id = gone.org_id and u.completed = gone.sha256 returning u.id
    ), parts as (
      delete from file_upload_parts p using uploads where p.upload_id = uploads.id
    )
    insert into file_garbage (org_id, place, at) select org_id, place, ${NOW_MS} from gone on conflict do nothing`,
};

async function removeFiles(sql: Sql, orgId: string, runId: string): Promise<void> {
  const rows = await sql.query<{ sha256: string }>(REMOVE_REFERENCES, [runId]);
  await removeUnusedFiles(
    sql,
    orgId,
    rows.map(({ sha256 }) => sha256),
  );
}

async function removeUnusedFiles(sql: Sql, orgId: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length > 0) await sql.query(REMOVE_FILES, [orgId, arrayLiteral(hashes)]);
}
