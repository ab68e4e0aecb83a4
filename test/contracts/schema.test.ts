import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSqlStore, SchemaMismatch, type Sql } from "../../src/store/index.ts";
import { AuditTrail } from "../../src/audit/index.ts";
import { auditEntry, type AuditEntry } from "../../src/core/audit/index.ts";
import { KEY_MAKERS } from "../../src/store/migrations/0019-key-makers.ts";
import { CALLBACK_TOKENS } from "../../src/store/migrations/0061-callback-tokens.ts";
import { NARROW_PENDING } from "../../src/store/migrations/0066-narrow-pending.ts";
import { creation, key, link } from "./shares.ts";
import { connect, createDatabase, type TestDatabase } from "../postgres/database.ts";

const NEWEST = 66;

/** Ends a transaction with what was seen in it. */
class Undone extends Error {
  readonly seen: unknown;
  constructor(seen: unknown) {
    super("undone");
    this.seen = seen;
  }
}
const plain = (text: string): { name: string; text: string } => ({ name: "", text });

/** Tables, columns, constraints and indexes as the catalog words them, partitions left out. */
const SCHEMA = plain(`
  select c.relname as table_name, coalesce(array_to_string(c.reloptions, ' '), '') as options,
    (select string_agg(format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end,
        case when l.collname = 'C' then ' collate C' else '' end
        || case when a.attcompression = 'l' then ' compression lz4' else '' end), E'\\n' order by a.attnum)
      from pg_attribute a left join pg_collation l on l.oid = a.attcollation and l.collname = 'C'
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select string_agg('  ' || pg_get_constraintdef(k.oid), E'\\n' order by k.conname)
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('c', 'p', 'u', 'f')) as constraints,
    (select string_agg('  ' || i.indexdef, E'\\n' order by i.indexname)
      from pg_indexes i where i.schemaname = 'public' and i.tablename = c.relname) as indexes,
    case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as partitioned
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`);

async function schemaOf(sql: Sql): Promise<string> {
  const rows = await sql.query<Record<string, string | null>>(SCHEMA);
  return rows
    .map((row) =>
      [
        `-- ${row["table_name"]} ${row["partitioned"] ?? ""} ${row["options"]}`.trimEnd(),
        row["columns"],
        row["constraints"],
        row["indexes"],
      ]
        .filter((part) => part !== null)
        .join("\n"),
    )
    .join("\n\n")
    .concat("\n");
}

/** Records as they were kept before there were blocks. */
async function sealedBefore(
  sql: Sql,
  orgId: string,
  records: readonly { readonly seq: number; readonly record: Pick<AuditEntry, "category" | "type" | "run"> }[],
): Promise<void> {
  for (const { seq, record } of records) {
    const { category, type, run = null } = record;
    const insert = { name: "", text: "insert into audit_records values ($1, $2, 0, $3, $4, $5, $6)" };
    await sql.query(insert, [orgId, seq, category, type, run, JSON.stringify(record)]);
  }
}

describe("the schema", () => {
  let database: TestDatabase;
  const opened: Sql[] = [];
  const open = (): Sql => {
    const sql = connect(database.url, 2);
    opened.push(sql);
    return sql;
  };
  beforeAll(async () => {
    database = await createDatabase("empty");
  });
  afterAll(async () => {
    await Promise.all(opened.map((sql) => sql.close()));
    await database.drop();
  });

  it("that is missing is named, made once by rivals that start together, and then current", async () => {
    await expect(createSqlStore(open()).ping()).rejects.toThrow(SchemaMismatch);
    await Promise.all(Array.from({ length: 4 }, () => createSqlStore(open()).migrate()));
    const sql = open();
    const versions = await sql.query<{ version: number }>(plain("select version from schema_migrations order by 1"));
    expect(versions.map(({ version }) => version).at(-1)).toBe(NEWEST);
    await createSqlStore(sql).ping();
    await createSqlStore(sql).migrate();
  });

  it("is the one that was reviewed", async () => {
    const sql = open();
    await createSqlStore(sql).migrate();
    await expect(await schemaOf(sql)).toMatchFileSnapshot("./schema.sql");
  });

  it("keeps the organisation with everything that is one's own", async () => {
    const rows = await open().query<{ table_name: string }>(
      plain(`select table_name from information_schema.tables t where table_schema = 'public' and not exists (
        select from information_schema.columns c where c.table_name = t.table_name and c.column_name = 'org_id')`),
    );
    expect(rows.map((row) => row.table_name).sort()).toEqual([
      "alert_leases",
      "execution_tags",
      "installation_secrets",
      "persons",
      "replicas",
      "schema_migrations",
      "usage_rolling",
    ]);
  });

  it("refuses to change, remove or empty what is sealed of the audit, except while pruning", async () => {
    const sql = open();
    await createSqlStore(sql).migrate();
    await sql.query(plain("insert into audit_records values ('org_1', 1, 0, 'security', 'key.created', null, '{}')"));
    await sql.query(plain("insert into audit_segments values ('org_1', 1, 1, 0, '{}', null)"));
    await sql.query(plain("insert into audit_blocks values ('org_1', 1, true, 0, ''), ('org_1', 1, false, 0, '')"));
    await sql.query(plain("insert into audit_facets values ('org_1', 'run:run_1', 1)"));
    await sql.query(plain("insert into audit_open values ('org_1', 1, 0, '')"));
    for (const table of ["audit_records", "audit_segments", "audit_blocks", "audit_facets", "audit_open"]) {
      for (const text of [`update ${table} set org_id = 'x'`, `delete from ${table}`, `truncate ${table}`]) {
        await expect(sql.query(plain(text)), text).rejects.toThrow("audit records are never changed or deleted");
      }
    }
    await sql.transaction(async (within) => {
      await within.query(plain("select set_config('sluice.prune', 'on', true)"));
      await within.query(plain("delete from audit_records"));
      for (const table of ["audit_blocks", "audit_facets", "audit_open"])
        await within.query(plain(`delete from ${table}`));
      await within.query(plain("update audit_segments set checkpoint = null"));
      await within.query(plain("truncate audit_segments"));
    });
    const left = plain("select (select count(*) from audit_records) + (select count(*) from audit_segments) as left");
    expect(await sql.query(left)).toEqual([{ left: 0 }]);
    // What one transaction may, the next one on the same connection may not.
    await sql.query(plain("insert into audit_records values ('org_1', 1, 0, 'security', 'key.created', null, '{}')"));
    await expect(sql.query(plain("delete from audit_records"))).rejects.toThrow("audit records are never changed");
  });

  it("shows a column of the audit that was changed beside its record", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    const now = { at: 1_700_000_000_000 };
    const trail = new AuditTrail({ store, now: () => now.at, seed: "0e".repeat(32) });
    const entry = auditEntry({
      at: now.at,
      type: "run.started",
      actor: "ann",
      resource: "run/run_1",
      run: "run_1",
      detail: {},
    });
    await store.appendAudit("org_9", [entry, entry]);
    await trail.catchUp("org_9");
    now.at += 60_000;
    await trail.catchUp("org_9");
    expect(await trail.verify("org_9")).toMatchObject({ ok: true, records: 2 });
    const changed = async (text: string): Promise<unknown> => {
      const found = await sql
        .transaction(async (within) => {
          await within.query(plain("select set_config('sluice.prune', 'on', true)"));
          await within.query(plain(text));
          // Seen from inside the transaction, which is then given up.
          const seen = await new AuditTrail({
            store: createSqlStore(within),
            now: () => now.at,
            seed: "0e".repeat(32),
          }).verify("org_9");
          await within.query(plain("select set_config('sluice.prune', 'off', true)"));
          throw new Undone(seen);
        })
        .catch((error: unknown) => {
          if (error instanceof Undone) return error.seen;
          throw error;
        });
      return (found as { readonly firstBad?: { readonly reason: string } }).firstBad?.reason;
    };
    const where = "where org_id = 'org_9'";
    const unfound = (facet: string): string => `delete from audit_facets ${where} and facet = '${facet}'`;
    const reason = (column: string): string => `its column "${column}" is not what was hashed`;
    expect(await changed(unfound("run:run_1"))).toBe(reason("run"));
    expect(await changed(unfound("type:run.started"))).toBe(reason("type"));
    expect(await changed(unfound("category:execution"))).toBe(reason("category"));
    expect(await changed(`update audit_segments set at = 0 ${where}`)).toMatch(/^it is missing: a checkpoint covers/);
    expect(await trail.verify("org_9")).toMatchObject({ ok: true, records: 2 });
  });

  it("packs what was sealed in rows, and reads both until then", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    const now = { at: 1_700_000_000_000 };
    const trail = new AuditTrail({ store, now: () => now.at, seed: "0e".repeat(32) });
    const about = { at: now.at, actor: "ann", resource: "run/run_1", run: "run_1", detail: {} };
    const entries = (["run.started", "gate.held", "node.completed"] as const).map((type) =>
      auditEntry({ ...about, type }),
    );
    await store.appendAudit("org_7", entries);
    await trail.catchUp("org_7");
    now.at += 60_000;
    await trail.catchUp("org_7");
    const exported = async (): Promise<string> => {
      let text = "";
      for await (const piece of trail.export("org_7")) text += piece;
      return text;
    };
    const before = await exported();
    const { lines = [], columns = [] } = (await store.readSegment("org_7", 0, 3)) ?? {};
    await sql.transaction(async (within) => {
      await within.query(plain("select set_config('sluice.prune', 'on', true)"));
      for (const table of ["audit_blocks", "audit_facets"]) {
        await within.query(plain(`delete from ${table} where org_id = 'org_7'`));
      }
      const insert = plain("insert into audit_records values ('org_7', $1, $2, $3, $4, $5, $6)");
      for (const [index, { seq, at, category, type, run }] of columns.entries()) {
        await within.query(insert, [seq, at, category, type, run, lines[index] ?? ""]);
      }
    });
    expect(await exported()).toBe(before);
    const listed = async (): Promise<readonly number[]> =>
      (await store.listAudit("org_7", { run: "run_1" }, { limit: 10, cursor: null })).data.map(({ seq }) => seq);
    expect(await listed()).toEqual([3, 2, 1]);
    expect([await store.packAudit(), await store.packAudit()]).toEqual([true, false]);
    expect(await sql.query(plain("select 1 from audit_records where org_id = 'org_7'"))).toEqual([]);
    expect(await exported()).toBe(before);
    expect(await listed()).toEqual([3, 2, 1]);
    expect(await trail.verify("org_7")).toMatchObject({ ok: true, records: 3 });
  });

  it("seals entries that an earlier program has left waiting, in their order beside new ones", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    await sql.query(plain("alter table audit_pending drop constraint audit_pending_pkey"));
    await sql.query(plain("alter table audit_pending add primary key (id)"));
    await sql.query(plain("create index audit_pending_oldest on audit_pending (org_id, at, id)"));
    const started = { at: 1, type: "run.started", actor: "ann", resource: "run/run_1", run: "run_1" } as const;
    const entry = auditEntry({ ...started, detail: { "a \u001f": "\u001f" } });
    const put = plain("insert into audit_pending (id, org_id, at, body) values ($1, 'org_6', $2, $3)");
    await sql.query(put, ["run_1/000000000", 1, JSON.stringify([entry, entry])]);
    await sql.query(put, ["one/entry", 3, JSON.stringify(auditEntry({ ...started, at: 3, detail: {} }))]);
    for (const statement of NARROW_PENDING.statements) await sql.query(plain(statement));
    const finished = auditEntry({ ...started, at: 2, type: "run.finished", detail: {} });
    await store.commit([creation("run_1", {}, { orgId: "org_6", audit: [finished] })]);
    const trail = new AuditTrail({ store, now: () => 5, seed: "0e".repeat(32) });
    await trail.catchUp("org_6");
    const { data } = await store.listAudit("org_6", {}, { limit: 10, cursor: null });
    expect(data.map(({ type, at, detail }) => [type, Date.parse(at), detail]).reverse()).toEqual([
      ["run.started", 1, entry.detail],
      ["run.started", 1, entry.detail],
      ["run.finished", 2, {}],
      ["run.started", 3, {}],
    ]);
    expect(await sql.query(plain("select 1 from audit_pending where org_id = 'org_6'"))).toEqual([]);
    expect(await trail.verify("org_6")).toMatchObject({ ok: true, records: 4 });
  });

  it("knows of keys made before who made them, from the audit", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    await store.putKey(key("key_made", { orgId: "org_8" }));
    await store.putKey(key("key_first", { orgId: "org_8" }));
    const made = { at: 1, type: "key.created", actor: "key_first", resource: "key/key_made", detail: {} } as const;
    await sealedBefore(sql, "org_8", [{ seq: 1, record: auditEntry(made) }]);
    const [, backfill = ""] = KEY_MAKERS.statements;
    await sql.query(plain(backfill));
    expect(await store.getKey("org_8", "key_made")).toMatchObject({ createdBy: "key_first" });
    expect(await store.getKey("org_8", "key_first")).toMatchObject({ createdBy: null });
  });

  it("leaves a callback token that gateways shared to the first of them", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    await sql.query(plain("drop index gateway_links_token"));
    await sql.query(plain("create index gateway_links_token on gateway_links (callback_hash)"));
    for (const [id, callbackHash] of [
      ["edge-2", "shared"],
      ["edge-1", "shared"],
      ["edge-3", "own"],
      ["edge-4", null],
      ["edge-5", null],
    ] as const) {
      await store.putGatewayLink(link(id, { orgId: "org_9", callbackHash }));
    }
    for (const statement of CALLBACK_TOKENS.statements) await sql.query(plain(statement));
    const kept = (await store.listGatewayLinks("org_9")).map(({ gatewayId, callbackHash }) => [
      gatewayId,
      callbackHash,
    ]);
    expect(kept).toEqual([
      ["edge-1", "shared"],
      ["edge-2", null],
      ["edge-3", "own"],
      ["edge-4", null],
      ["edge-5", null],
    ]);
    expect(await store.putGatewayLink(link("edge-2", { orgId: "org_9", callbackHash: "own" }))).toBe(false);
  });

  it("of a later program is used while that program allows it, and refused beyond", async () => {
    const sql = open();
    const store = createSqlStore(sql);
    await store.migrate();
    await sql.query(plain(`insert into schema_migrations values (1000, 'later', ${NEWEST}, 0)`));
    await store.ping();
    await store.migrate();
    await sql.query(plain("update schema_migrations set min_reader = 1000 where version = 1000"));
    const refusal = `the database is at schema 1000 and can only be used by a Sluice that knows schema 1000; this one knows ${NEWEST}: upgrade it`;
    await expect(store.ping()).rejects.toThrow(refusal);
    await expect(store.migrate()).rejects.toThrow(SchemaMismatch);
    await sql.query(plain("delete from schema_migrations where version = 1000"));
  });
});
