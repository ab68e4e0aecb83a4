import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { required } from "../../src/core/base/index.ts";
import { newRunId } from "../../src/driver/index.ts";
import { openEmbedded } from "../../src/store/embedded/index.ts";
import { GOVERNANCE } from "../../src/store/migrations/0006-governance.ts";
import { EXECUTION_TAGS } from "../../src/store/migrations/0012-execution-tags.ts";
import { RUNS } from "../../src/store/migrations/0001-runs.ts";
import { auditEntry } from "../../src/core/audit/index.ts";
import { createSqlStore, type Sql, type Store } from "../../src/store/index.ts";
import { connect, createDatabase } from "../postgres/database.ts";
import { creation, logFrom, logged, share } from "./shares.ts";

const WEEK_MS = 7 * 86_400_000;
const plain = (text: string): { name: string; text: string } => ({ name: "", text });

interface Opened {
  readonly sql: Sql;
  readonly close: () => Promise<void>;
}

const DATABASES: Readonly<Record<string, () => Promise<Opened>>> = {
  Postgres: async () => {
    const { url, drop } = await createDatabase("empty");
    const sql = connect(url, 3);
    return { sql, close: () => sql.close().then(drop) };
  },
  "the embedded database": async () => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-partitions-"));
    const sql = await openEmbedded({ directory });
    return { sql, close: () => sql.close().then(() => rmSync(directory, { recursive: true })) };
  },
};

describe.each(Object.keys(DATABASES))("partitions of %s", (kind) => {
  let opened: Opened;
  let sql: Sql;
  let store: Store;
  beforeAll(async () => {
    opened = await required(DATABASES[kind], kind)();
    sql = opened.sql;
    store = createSqlStore(sql);
    await store.migrate();
  });
  afterAll(() => opened.close());

  const rowsIn = async (table: string): Promise<number> =>
    (await sql.query<{ rows: number }>(plain(`select count(*)::int as rows from ${table}`)))[0]?.rows ?? 0;
  const week = (ms: number): number => Math.floor(ms / WEEK_MS);
  const names = async (): Promise<readonly string[]> =>
    (
      await sql.query<{ name: string }>(
        plain(`select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'event_blocks'::regclass order by 1`),
      )
    ).map(({ name }) => name);
  const run = async (at: number): Promise<string> => {
    const runId = newRunId(at);
    const events = [logged(1)];
    await store.commit([creation(runId, {}, { events, head: { status: "completed", endedAt: at, lastEventId: 1 } })]);
    return runId;
  };

  it("hold the runs of a week each, from the first start on; ids of another kind go to the default one", async () => {
    const now = Date.now();
    const weeks = [0, 1, 2].map((ahead) => `event_blocks_w${week(now) + ahead}`);
    expect(await names()).toEqual(["event_blocks_default", ...weeks]);
    await run(now);
    await store.commit([creation("run_x", {}, { events: [logged(1)] })]);
    expect(await rowsIn(`event_blocks_w${week(now)}`)).toBe(1);
    expect(await rowsIn("event_blocks_default")).toBe(1);
    await store.makePartitions(now);
    expect(await names()).toHaveLength(4);
    await store.makePartitions(now + WEEK_MS);
    expect(await names()).toContain(`event_blocks_w${week(now) + 3}`);
  });

  it("hold the log of a run that has ended in one piece, which is read and continued as before", async () => {
    const runId = newRunId(Date.now());
    await store.commit([creation(runId, {}, { events: logFrom(0, 3) })]);
    await store.commit([share(runId, 1, logFrom(3, 2))]);
    const pieces = async (): Promise<number> =>
      (
        await sql.query<{ rows: number }>(
          plain(`select count(*)::int as rows from event_blocks where run_id = '${runId}'`),
        )
      )[0]?.rows ?? 0;
    while ((await store.indexRuns(100)) > 0);
    expect(await pieces()).toBe(2);
    const ended = { status: "completed", endedAt: 9 } as const;
    await store.commit([share(runId, 2, logFrom(5, 1), { head: ended, isReindexed: true })]);
    while ((await store.indexRuns(100)) > 0);
    expect(await pieces()).toBe(1);
    expect((await store.loadRuns([runId]))[0]?.events).toEqual(logFrom(0, 6));
    expect(await store.readEvents("org_1", runId, 2, 3)).toEqual(logFrom(2, 3));
    await store.commit([share(runId, 3, logFrom(6, 2), { head: ended, isReindexed: true })]);
    expect(await store.readEvents("org_1", runId, 4, 10)).toEqual(logFrom(4, 4));
    while ((await store.indexRuns(100)) > 0);
    expect([await pieces(), (await store.loadRuns([runId]))[0]?.events]).toEqual([1, logFrom(0, 8)]);
  });

  it("hold even short lists compressed, and a joined log without what makes its pieces long enough for that", async () => {
    const runId = newRunId(Date.now());
    const audit = ["a", "b", "c", "d", "e"].map((node) =>
      auditEntry({ at: 1, type: "node.failed", actor: "sluice", resource: `${node}/1`, run: runId, node, detail: {} }),
    );
    const body = { trail: Array.from({ length: 20 }, () => ({ gate: "identity", outcome: "pass" })) };
    const outcome = { attempt: 1, at: 1, disposition: "allow", gate: null, code: null } as const;
    const verdict = { verdictId: "v1", nodeId: "a", ...outcome };
    const verdicts = [{ ...verdict, bodyText: JSON.stringify(body) }];
    await store.commit([creation(runId, {}, { events: logFrom(0, 10), audit, verdicts })]);
    const sizes = async (table: string): Promise<{ length: number; stored: number } | undefined> =>
      (
        await sql.query<{ length: number; stored: number }>(
          plain(`select length(rtrim(replace(body, ' ', ''))) as length, pg_column_size(body) as stored
            from ${table} where position('${runId}' in ${table === "audit_pending" ? "id" : "run_id"}) = 1`),
        )
      )[0];
    for (const table of ["event_blocks", "verdict_blocks", "audit_pending"]) {
      const { length, stored } = required(await sizes(table), table);
      expect(length, table).toBeGreaterThan(450);
      expect(length, table).toBeLessThan(2_000);
      expect(stored, table).toBeLessThan(length * 0.7);
    }
    expect(await store.verdictsOf("org_1", runId)).toEqual([{ ...verdict, body }]);
    const ended = { status: "completed", endedAt: 9 } as const;
    await store.commit([share(runId, 1, logFrom(10, 10), { head: ended, isReindexed: true })]);
    while ((await store.indexRuns(100)) > 0);
    const [joined] = await sql.query<{ body: string }>(
      plain(`select body from event_blocks where run_id = '${runId}'`),
    );
    expect(joined?.body).toBe(JSON.stringify(logFrom(0, 20)));
    expect((await store.loadRuns([runId]))[0]?.events).toEqual(logFrom(0, 20));
  });

  it("are not made for a week that has begun in the default one", async () => {
    const later = Date.now() + 20 * WEEK_MS;
    const runId = await run(later);
    await store.makePartitions(later);
    expect(await names()).not.toContain(`event_blocks_w${week(later)}`);
    expect(await names()).toContain(`event_blocks_w${week(later) + 1}`);
    expect((await store.loadRuns([runId]))[0]?.events).toHaveLength(1);
  });

  it("are dropped when their week is over and little is left, which is moved", async () => {
    const then = Date.now() + 40 * WEEK_MS;
    await store.makePartitions(then);
    const name = `event_blocks_w${week(then)}`;
    const kept = await run(then);
    const gone = newRunId(then);
    await sql.query(
      plain(
        `insert into event_blocks select '${gone}', n, n, repeat(md5(n::text), 30), 'org_1' from generate_series(1, 3000) n`,
      ),
    );
    const bytes = async (): Promise<number> =>
      (
        await sql.query<{ bytes: number }>(
          plain(`select sum(pg_total_relation_size(relid))::bigint as bytes from pg_partition_tree('event_blocks')`),
        )
      )[0]?.bytes ?? 0;
    const full = await bytes();
    expect(await store.dropPartitions(then + WEEK_MS)).not.toContain(name);
    await sql.query(plain(`delete from event_blocks where run_id = '${gone}'`));
    expect(await store.dropPartitions(then)).not.toContain(name);
    expect(await store.dropPartitions(then + WEEK_MS)).toContain(name);
    expect(await names()).not.toContain(name);
    expect(await bytes()).toBeLessThan(full / 2);
    expect((await store.loadRuns([kept]))[0]?.events).toHaveLength(1);
    // A run that is imported later finds a place, too.
    expect((await store.loadRuns([await run(then)]))[0]?.events).toHaveLength(1);
  });
});

describe.each(Object.keys(DATABASES))("rows from before there were partitions, in %s", (kind) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await required(DATABASES[kind], kind)();
  });
  afterAll(() => opened.close());

  /** As the step before left it. */
  async function before(sql: Sql): Promise<void> {
    await createSqlStore(sql).migrate();
    await sql.query(
      plain("drop table event_blocks, verdict_blocks, verdict_parts, audit_open, audit_blocks, audit_facets cascade"),
    );
    await sql.query(plain("alter table organisations drop column cell"));
    await sql.query(plain("drop table credential_organisations, cell_moves, cell_arrivals, cell_changes"));
    await sql.query(plain("drop function refuse_moving, log_moving, refuse_arriving"));
    await sql.query(plain("drop sequence commit_reports"));
    const statements = [...RUNS.statements, ...GOVERNANCE.statements, ...EXECUTION_TAGS.statements];
    for (const text of statements.filter((one) => /(event|verdict)_blocks/.test(one))) await sql.query(plain(text));
    await sql.query(plain("delete from schema_migrations where version >= 48"));
  }

  it("stay where they are, and the time until next week with them", async () => {
    const { sql } = opened;
    await before(sql);
    const now = Date.now();
    const [old, recent] = [newRunId(now - 30 * WEEK_MS), newRunId(now)];
    const store = createSqlStore(sql);
    for (const runId of [old, recent]) await store.commit([creation(runId, {}, { events: [logged(1)] })]);
    const place = async (table: string): Promise<unknown> =>
      (
        await sql.query<{ file: string }>(
          plain(`select string_agg(pg_relation_filenode(relid)::text, ' ' order by relid) as file
            from pg_partition_tree('${table}') where isleaf`),
        )
      )[0]?.file;
    const files = await place("event_blocks");
    await store.migrate();
    expect(await place("event_blocks_first")).toBe(files);
    expect((await store.loadRuns([old, recent])).map(({ events }) => events.length)).toEqual([1, 1]);
    const bounds = await sql.query<{ name: string; bounds: string }>(
      plain(`select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'event_blocks'::regclass order by 1`),
    );
    const week = Math.floor(now / WEEK_MS);
    expect(bounds.map(({ name }) => name)).toEqual([
      "event_blocks_default",
      "event_blocks_first",
      `event_blocks_w${week + 1}`,
      `event_blocks_w${week + 2}`,
    ]);
    expect(bounds[1]?.bounds).toMatch(/^FOR VALUES FROM \(MINVALUE\) TO/);
    const later = newRunId(now + WEEK_MS);
    await store.commit([creation(later, {}, { events: [logged(1)] })]);
    const rows = plain(`select count(*)::int as rows from event_blocks_w${week + 1}`);
    expect(await sql.query(rows)).toEqual([{ rows: 1 }]);
    await store.makePartitions(now);
    expect(await store.dropPartitions(now + WEEK_MS)).toContain("event_blocks_first");
    expect((await store.loadRuns([old, recent])).map(({ events }) => events.length)).toEqual([1, 1]);
  });
});
