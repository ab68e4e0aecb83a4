/**
 * `npm run bench -- --million N`: makes N finished runs in Postgres, as 90 days would leave them, and measures how long
 * lists, searches, usage and trends take. Rows are made in the database itself: a million take minutes.
 */
import { searchWords } from "../src/core/search/index.ts";
import type { RunFilter, Sql, Store } from "../src/store/index.ts";
import { listStatement } from "../src/store/sql/list-runs.ts";
import { createSystemClock } from "../src/clock/index.ts";
import { Retainer } from "../src/history/index.ts";
import { type BenchDatabase, openBenchPostgres } from "./database.ts";
import { measureGovernedRate } from "./governed.ts";
import { onTrouble } from "./runtime.ts";

const DAY_MS = 86_400_000;
const DAYS = 90;
const ORG = "org_bench";
const TRIES = 15;
/** Rows of one statement. */
const CHUNK = 10_000;

/** `i` is the number of a run, 0 the oldest. Old versions and models are found only far back. */
const WORKFLOW = "'workflow-' || i % 20";
const VERSION = (runs: number): string => `1 + i * 3 / ${runs}`;
const STATUS = "case when i % 50 = 7 then 'failed' when i % 1000 = 3 then 'cancelled' else 'completed' end";
const ERROR = "case when i % 50 = 7 then (case when i % 10000 = 57 then 'rare_error' else 'timeout' end) end";
/** As ids are made: the millisecond in ten digits, then what tells runs of one millisecond apart. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_FUNCTION = `create function bench_id(at bigint, i bigint) returns text language sql immutable as $$
  select 'run_' || string_agg(substr('${DIGITS}', ((at >> (5 * place)) & 31)::int + 1, 1), '' order by place desc)
    || lpad(i::text, 16, '0') from generate_series(0, 9) place $$`;

function rowsOf(runs: number, begin: number): readonly string[] {
  const at = `(${begin} + i * ${Math.floor((DAYS * DAY_MS) / runs)})`;
  const ID = `bench_id(${at}, i)`;
  const facets = [
    "'label:customer:' || i % 5000",
    "'label:stage:' || case when i % 10 = 0 then 'test' else 'live' end",
    "'agent:agent-' || i % 8",
    `'model:model-' || (i * 4 / ${runs})`,
  ];
  return [
    `insert into runs (run_id, org_id, workflow, version, definition_hash, args, trigger, trace_id, root_span_id,
        recursion_depth, role_bindings, started_by, created_at, labels)
      select ${ID}, '${ORG}', ${WORKFLOW}, ${VERSION(runs)}, 'sha256:0', '{"customer":"' || i % 5000 || '"}',
        case when i % 100 = 1 then 'schedule' when i % 5 = 2 then 'hook' else 'api' end, md5(i::text), substr(md5(i::text), 1, 16),
        0, '{}', case when i % 100 = 1 then 'schedule:nightly' else 'key_1' end, ${at},
        '{"customer":"' || i % 5000 || '","stage":"live"}' from i`,
    `insert into run_heads (run_id, org_id, row_version, status, epoch, last_event_id, cost_micros, started_at, ended_at,
        workflow, listed_at, error_code, error_message, settled_micros, duration_ms)
      select ${ID}, '${ORG}', 12, ${STATUS}, 0, 60, i % 10000 * 10, ${at}, ${at} + i % 60000, ${WORKFLOW}, ${at}, ${ERROR},
        ${ERROR}, i % 10000 * 10, i % 60000 from i`,
    // As many rows and bytes as a run of ten nodes leaves before its log is joined.
    `insert into event_blocks (run_id, first_event_id, last_event_id, body, org_id)
      select ${ID}, 1 + n * 10, 10 + n * 10, '["' || repeat(md5((i * 10 + n)::text), 2) || md5((i * 10 + n + 0.5)::text) || repeat(md5((i * 10 - n)::text), 29) || '"]',
        '${ORG}' from i, generate_series(0, 4) n`,
    `insert into verdict_blocks (run_id, first_event_id, org_id, at, body)
      select ${ID}, n, '${ORG}', ${at}, '["' || repeat(md5((i * 10 + n)::text), 2) || md5((i * 10 + n + 0.5)::text) || repeat(md5((i * 10 - n)::text), 29) || '"]'
      from i, generate_series(1, 3) n where i * 10 >= ${runs} * 6`,
    ...facets.map(
      (facet) =>
        `insert into run_facets (org_id, facet, created_at, run_id) select '${ORG}', ${facet}, ${at}, ${ID} from i`,
    ),
    `insert into run_words (run_id, org_id, created_at, words)
      select ${ID}, '${ORG}', ${at}, array_to_tsvector(array['api', 'order', 'customer', 'c' || i % 5000, 'n' || i,
        'w' || i % 300, 'v' || i % 977, 'u' || i % 89, 'workflow', (i % 20)::text]
        || case when i % 1000 = 5 then array['seldom'] else '{}' end
        || case when i < ${Math.floor(runs / 10)} then array['ancient'] else '{}' end) from i`,
    `insert into usage_records (org_id, run_id, node_id, attempt, workflow, agent_id, model, gateway_id, input_tokens,
        output_tokens, thinking_tokens, cached_tokens, cost_micros, at)
      select '${ORG}', ${ID}, 'node_' || n, 1, ${WORKFLOW}, 'agent-' || i % 8, 'model-' || (i * 4 / ${runs}), 'local', 100, 50, 0, 0,
        10, ${at} + n * 100 from i, generate_series(1, 3) n`,
  ];
}

async function plain<Row>(sql: Sql, text: string): Promise<readonly Row[]> {
  return sql.query<Row>({ name: "", text });
}

async function fill({ sql, store }: BenchDatabase, runs: number, begin: number): Promise<void> {
  await plain(sql, ID_FUNCTION);
  for (let week = 0; week * 7 <= DAYS; week += 1) await store.makePartitions(begin + week * 7 * DAY_MS);
  for (let from = 0; from < runs; from += CHUNK) {
    const to = Math.min(runs, from + CHUNK) - 1;
    for (const statement of rowsOf(runs, begin)) {
      await plain(
        sql,
        `with i as (select i::bigint from generate_series(${from}::bigint, ${to}) i) ${statement}`.replace(
          /^(with .*?\) )(insert into [^(]*\([^)]*\)\s*)/s,
          "$2$1",
        ),
      );
    }
    process.stderr.write(`\r${to + 1} runs`);
  }
  await plain(
    sql,
    `insert into run_trends (org_id, bucket, grouped_by, group_name, start, figures)
      select '${ORG}', 'day', g.by, case g.by when '' then '' else g.name || n end, ${begin} / ${DAY_MS} * ${DAY_MS} + d * ${DAY_MS}::bigint,
        '{"completed":900,"failed":20,"cancelled":1,"timedOut":0,"waitingMs":5000,"costMicros":90000,"durations":[[80,300],[90,400],[110,221]]}'
      from generate_series(0, ${DAYS}) d, generate_series(0, 19) n,
        (values ('', ''), ('workflow', 'workflow-'), ('agent', 'agent-'), ('model', 'model-'), ('version', 'workflow-1@')) g(by, name) where g.by <> '' or n = 0`,
  );
  process.stderr.write("\n");
  await plain(sql, "vacuum analyze");
}

function filtersOf(begin: number): Readonly<Record<string, RunFilter>> {
  const status = { status: "failed" } as const;
  const workflow = { workflow: "workflow-3" };
  const label = { facets: ["label:customer:4711"] } as const;
  const created = { created: { from: begin + 30 * DAY_MS, to: begin + 31 * DAY_MS } };
  return {
    "no filter": {},
    status,
    "status, none": { status: "timed_out" },
    "status, rare": { status: "cancelled" },
    workflow,
    "workflow, none": { workflow: "other" },
    "workflow and status": { ...workflow, ...status },
    "version, old": { version: 1 },
    "version, old, and workflow": { version: 1, ...workflow },
    trigger: { trigger: "schedule" },
    starter: { startedBy: "schedule:nightly" },
    label,
    "label, none": { facets: ["label:customer:x"] },
    "label, common": { facets: ["label:stage:live"] },
    "label, common, and rare status": { facets: ["label:stage:live"], status: "cancelled" },
    "label, status and workflow": { ...label, ...status, ...workflow },
    agent: { facets: ["agent:agent-3"] },
    "agent, status and workflow": { facets: ["agent:agent-3"], ...status, ...workflow },
    "model, old": { facets: ["model:model-0"] },
    "model, old, and status": { facets: ["model:model-0"], ...status },
    error: { errorCode: "timeout" },
    "error, rare": { errorCode: "rare_error" },
    "error and workflow": { errorCode: "timeout", ...workflow },
    "cost, high": { cost: { from: 99_990 } },
    "cost, common": { cost: { from: 10 } },
    "cost, none": { cost: { from: 1_000_000_000 } },
    "cost, status and workflow": { cost: { from: 90_000 }, ...status, ...workflow },
    "duration, long": { duration: { from: 59_990 } },
    "duration, none": { duration: { from: 1_000_000 } },
    "parent, none": { parentRunId: "run_none" },
    "waiting for a person": { waitingFor: "person" },
    created,
    "created, status and workflow": { ...created, ...status, ...workflow },
    "words, in all": { words: searchWords("order") },
    "words, rare": { words: searchWords("seldom") },
    "words, one run": { words: searchWords("n777") },
    "words, none": { words: searchWords("nothing") },
    "words, old": { words: searchWords("ancient") },
    "words, two": { words: searchWords("c4711 w11") },
    "words, beginning": { words: searchWords("seld*") },
    "words and status": { words: searchWords("order"), ...status },
  };
}

async function milliseconds(
  work: () => Promise<unknown>,
): Promise<{ readonly median: number; readonly worst: number }> {
  const times: number[] = [];
  for (let round = 0; round < TRIES; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  const inOrder = times.slice(1).sort((left, right) => left - right);
  return { median: inOrder[Math.floor(inOrder.length / 2)] ?? 0, worst: inOrder.at(-1) ?? 0 };
}

/** The indexes that a list is read with. */
async function planOf(sql: Sql, filter: RunFilter): Promise<string> {
  const { statement, params } = listStatement(ORG, filter, null, 26);
  const rows = await sql.query<Record<string, string>>({ name: "", text: `explain ${statement.text}` }, params);
  const lines = rows.map((row) => Object.values(row)[0] ?? "");
  const used = lines.flatMap((line) => {
    const all = /Seq Scan on (\w+)/.exec(line)?.[1];
    return all === undefined ? (/(?:using|on) (\w+_\w+) /.exec(line)?.slice(1) ?? []) : [`ALL OF ${all}`];
  });
  return [...new Set(used.filter((name) => name !== undefined))].join(" ");
}

function line(name: string, { median, worst }: { median: number; worst: number }, max: number, more = ""): void {
  const of = median > max ? `OVER ${max}` : `of ${max}`;
  const figures = `${median.toFixed(1).padStart(8)} ${worst.toFixed(1).padStart(8)} ${of.padStart(10)}`;
  process.stdout.write(`${name.padEnd(34)} ${figures}  ${more}\n`);
}

/** Milliseconds that the median should not pass. */
const MAX = { list: 20, combined: 500, search: 100, usage: 50, start: 2_000 };

/** What names several filters, other than a status with a workflow, is a combination. */
function maxOf(filter: RunFilter): number {
  if (filter.words !== undefined) return MAX.search;
  const { status: _status, workflow: _workflow, ...others } = filter;
  return Object.keys(others).length > 1 ? MAX.combined : MAX.list;
}

export async function measureMillion(runs: number): Promise<void> {
  const database = await openBenchPostgres();
  const { sql, store } = database;
  const now = Date.now();
  const begin = now - DAYS * DAY_MS;
  const diamonds = runs < SMALL ? DIAMONDS / 5 : DIAMONDS;
  try {
    // The first one is for warming up.
    await measureGovernedRate(store, diamonds);
    const empty = await measureGovernedRate(store, diamonds);
    const filling = performance.now();
    await fill(database, runs, begin);
    process.stdout.write(`filled in ${Math.round((performance.now() - filling) / 1_000)} s\n`);
    process.stdout.write(`${runs} runs, milliseconds: median and worst of ${TRIES - 1}, and what the median may be\n`);
    for (const [name, filter] of Object.entries(filtersOf(begin))) {
      const work = () => store.listRuns(ORG, filter, { limit: 25, cursor: null });
      line(name, await milliseconds(work), maxOf(filter), await planOf(sql, filter));
    }
    const rolling = performance.now();
    while (await store.rollUsage());
    process.stdout.write(`usage was added up in ${Math.round(performance.now() - rolling)} ms\n`);
    await plain(sql, "vacuum analyze usage_sums");
    await measureSums(store, now);
    line("start: schema and first list", await milliseconds(() => store.migrate()), MAX.start);
    const [size] = await plain<{ bytes: number }>(sql, "select pg_database_size(current_database())::bigint as bytes");
    process.stdout.write(`${Math.round((size?.bytes ?? 0) / runs)} bytes a run\n`);
    const full = await measureGovernedRate(store, diamonds);
    process.stdout.write(
      `${rate(empty)} when empty, ${rate(full)} now: ${(full / empty).toFixed(2)} of at least 0.9\n`,
    );
    await measureRetention(database, diamonds, full);
  } finally {
    await database.close();
  }
}

/** Governed runs of ten nodes of one measurement. */
const DIAMONDS = 1_000;
/** Of fewer runs the lists are meant. */
const SMALL = 100_000;
/** A tenth of the time there is. */
const DELETED_DAYS = DAYS / 10;

function rate(nodesPerSecond: number): string {
  return `${Math.round(nodesPerSecond)} governed nodes/s`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`;
}

/** Logs and verdicts of weeks that are over: what runs meanwhile lies in another partition. */
const SIZE = `select (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('event_blocks'::regclass, 'verdict_blocks'::regclass)
      and c.relname like '%\\_w%' and c.relname not like '%\\_w' || ${Math.floor(Date.now() / (7 * DAY_MS))}) as bytes,
  (select count(*)::int from runs where org_id = '${ORG}') as runs`;

async function sizeOf(sql: Sql): Promise<{ readonly bytes: number; readonly runs: number }> {
  const [row] = await plain<{ bytes: number; runs: number }>(sql, SIZE);
  return row ?? { bytes: 0, runs: 0 };
}

/** What was created first is deleted while runs go on. */
async function measureRetention({ sql, store }: BenchDatabase, diamonds: number, before: number): Promise<void> {
  await store.putEntry(ORG, "retention", "short", { runs: `${DAYS - DELETED_DAYS}d` }, 0);
  await plain(sql, `insert into audit_heads (org_id, seq, hash) values ('${ORG}', 0, '') on conflict do nothing`);
  const archiver = { archive: () => Promise.reject(new Error("nothing is archived here")) };
  const retainer = new Retainer({ store, archiver, clock: createSystemClock(), onTrouble });
  const from = await sizeOf(sql);
  const begun = performance.now();
  const progress = { isDone: false };
  const deleting = (async () => {
    for (let last = from.runs; !progress.isDone;) {
      await retainer.round();
      const { runs } = await sizeOf(sql);
      progress.isDone = runs >= last;
      last = runs;
    }
  })();
  const rates: number[] = [];
  while (!progress.isDone && rates.length < 20) rates.push(await measureGovernedRate(store, diamonds));
  await deleting;
  const seconds = (performance.now() - begun) / 1_000;
  const to = await sizeOf(sql);
  const during = rates.reduce((sum, one) => sum + one, 0) / rates.length;
  process.stdout.write(`retention: ${from.runs} runs to ${to.runs} in ${Math.round(seconds)} s; `);
  process.stdout.write(`${rate(during)} meanwhile: ${(during / before).toFixed(2)} of at least 0.8; `);
  process.stdout.write(`logs and verdicts from ${megabytes(from.bytes)} to ${megabytes(to.bytes)}\n`);
}

async function measureSums(store: Store, now: number): Promise<void> {
  for (const by of [null, "model", "workflow"] as const) {
    for (const bucket of ["day", "hour"] as const) {
      const days = bucket === "hour" && by === "workflow" ? 1 : 60; // As pages ask: 60 days have too many rows.
      const work = () => store.usage(ORG, { bucket, by, since: now - days * DAY_MS, until: now });
      line(`usage of ${days} days by ${bucket}, ${by ?? "all"}`, await milliseconds(work), MAX.usage);
    }
  }
  for (const by of [null, "workflow", "agent"] as const) {
    const work = () => store.trends(ORG, { bucket: "day", by, since: now - 90 * DAY_MS, until: now });
    line(`trends of 90 days, ${by ?? "all"}`, await milliseconds(work), MAX.usage);
  }
}
