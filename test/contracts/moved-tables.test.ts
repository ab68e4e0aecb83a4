import { expect, it } from "vitest";
import { movedTables, STAYING_TABLES } from "../../src/store/index.ts";
import { ownPostgres } from "./own-postgres.ts";

const database = ownPostgres();

const TABLES = {
  name: "",
  text: `select c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and a.attnotnull) as has_organisation
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
};

it("every table has an organisation in each row and moves with it, or is named as one that stays", async () => {
  const tables = await database().query<{ name: string; has_organisation: boolean }>(TABLES);
  const neither = tables.filter(({ name, has_organisation: has }) => !has && !STAYING_TABLES.includes(name));
  expect(neither.map(({ name }) => name)).toEqual([]);
  const names = tables.map(({ name }) => name);
  expect(STAYING_TABLES.filter((name) => !names.includes(name))).toEqual([]);
  const moved = (await movedTables(database())).map(({ name }) => name);
  expect(moved).toEqual(names.filter((name) => !STAYING_TABLES.includes(name)));
});

it("the catalogue gives what a copy needs: columns a database does not fill in itself, and the key", async () => {
  const tables = new Map((await movedTables(database())).map((table) => [table.name, table]));
  expect(tables.get("event_blocks")).toMatchObject({
    key: [
      { column: "run_id", type: "text" },
      { column: "first_event_id", type: "integer" },
    ],
    settled: "true",
  });
  expect(tables.get("webhook_deliveries")?.columns).not.toContain("seq");
  expect(tables.get("timers")?.settled).toBe(null);
});

it("keys sort the same in every database, whatever its locale: a range of them has the same rows on both sides", async () => {
  const keys = await database().query<{ name: string }>({
    name: "",
    text: `select c.relname || '.' || a.attname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_index i on i.indrelid = c.oid and i.indisprimary
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
      join pg_collation o on o.oid = a.attcollation
      where n.nspname = 'public' and c.relkind in ('r', 'p') and o.collname <> 'C' order by 1`,
  });
  const moved = new Set((await movedTables(database())).map(({ name }) => name));
  expect(keys.map(({ name }) => name).filter((name) => moved.has(name.split(".")[0] ?? ""))).toEqual([]);
});
