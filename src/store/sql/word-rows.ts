import { documentOf, type RunDocument, type SearchWord } from "../../core/search/index.ts";
import { hashesIn, type StoredEvent } from "../event-pack.ts";
import type { Sql } from "../sql.ts";
import type { RunRecord } from "../store.ts";
import { RUN, RUN_COLUMNS } from "./run-columns.ts";

/** Builds a tsquery. Words contain only letters and digits, so nothing is escaped. */
export function queryText(words: readonly SearchWord[]): string {
  return words.map(({ text, isPrefix }) => `'${text}'${isPrefix ? ":*" : ""}`).join(" & ");
}

/** Skips rows that another replica has locked. */
const TAKE = {
  name: "take unindexed runs",
  text: `delete from unindexed_runs u using (
      select id from unindexed_runs order by id limit $1 for update skip locked) t
    where u.id = t.id returning u.run_id`,
};

/** Maximum number of blocks read from a log. */
const BLOCKS_MAX = 2_000;
const LOGS = {
  name: "logs of found runs",
  text: `select ${RUN_COLUMNS},
      (select string_agg(b.body, ',' order by b.first_event_id) from (
        select body, first_event_id from event_blocks e where e.run_id = r.run_id
        order by first_event_id limit ${BLOCKS_MAX}) b) as log
    from runs r join run_heads h using (run_id) where r.run_id = any($1::text[]) and r.block is null`,
};

/** Reads only the beginning of each large value. */
const TEXTS = {
  name: "beginnings of blobs",
  text: `select hash, left(body, 20000) as body from blobs where org_id = $1 and hash = any($2::text[])`,
};

export interface ReadRun {
  readonly run: RunRecord;
  readonly document: RunDocument;
}

/** Takes runs off the list of unindexed runs, and reads them. */
export async function readUnindexed(
  sql: Sql,
  limit: number,
): Promise<{ readonly taken: number; readonly runs: readonly ReadRun[] }> {
  const taken = await sql.query<{ run_id: string }>(TAKE, [limit]);
  if (taken.length === 0) return { taken: 0, runs: [] };
  const rows = await sql.query(LOGS, [[...new Set(taken.map((row) => row.run_id))]]);
  const runs: ReadRun[] = [];
  for (const row of rows) {
    const run = RUN.read(row);
    const log = row["log"];
    const events = typeof log === "string" ? (JSON.parse(`[${log}]`) as StoredEvent[][]).flat() : [];
    runs.push({ run, document: documentOf(run, events, await beginnings(sql, run.orgId, events)) });
  }
  return { taken: taken.length, runs };
}

async function beginnings(sql: Sql, orgId: string, events: readonly StoredEvent[]): Promise<readonly string[]> {
  const hashes = [...hashesIn(events)].slice(0, 20);
  if (hashes.length === 0) return [];
  return (await sql.query<{ body: string }>(TEXTS, [orgId, hashes])).map(({ body }) => body);
}

const PUT_WORDS = {
  name: "put words",
  text: `insert into run_words (run_id, org_id, created_at, words)
    select i.run_id, i.org_id, i.created_at, array_to_tsvector(string_to_array(i.words, ' '))
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) as i(run_id, org_id, created_at, words)
    order by i.run_id
    on conflict (run_id) do update set words = excluded.words`,
};

const PUT_FACETS = {
  name: "put facets",
  text: `insert into run_facets (org_id, facet, created_at, run_id)
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) as i(org_id, facet, created_at, run_id)
    order by 1, 2, 3, 4 on conflict do nothing`,
};

export async function writeDocuments(sql: Sql, runs: readonly ReadRun[]): Promise<void> {
  if (runs.length === 0) return;
  await sql.query(PUT_WORDS, [
    runs.map(({ run }) => run.runId),
    runs.map(({ run }) => run.orgId),
    runs.map(({ run }) => run.createdAt),
    runs.map(({ document }) => [...document.words].join(" ")),
  ]);
  const facets = runs.flatMap(({ run, document }) => facetsOf(document).map((facet) => ({ run, facet })));
  if (facets.length === 0) return;
  await sql.query(PUT_FACETS, [
    facets.map(({ run }) => run.orgId),
    facets.map(({ facet }) => facet),
    facets.map(({ run }) => run.createdAt),
    facets.map(({ run }) => run.runId),
  ]);
}

function facetsOf({ agents, models }: RunDocument): readonly string[] {
  return [...[...agents].map((agent) => `agent:${agent}`), ...[...models].map((model) => `model:${model}`)];
}
