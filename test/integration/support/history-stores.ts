import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { openEmbedded } from "../../../src/store/embedded/index.ts";
import { createMemoryStore, createSqlStore, type Sql, type Store } from "../../../src/store/index.ts";
import { connect, createDatabase } from "../../postgres/database.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Null: it is in memory. */
  readonly sql: Sql | null;
  readonly close: () => Promise<void>;
}

/** Each kind of store there is, by name. */
export const STORES: Readonly<Record<string, (folder: string) => Promise<OpenedStore>>> = {
  memory: async () => ({ store: createMemoryStore(), sql: null, close: async () => undefined }),
  embedded: async (folder) => {
    const sql = await openEmbedded({ directory: join(folder, "database") });
    const store = createSqlStore(sql);
    await store.migrate();
    return { store, sql, close: () => store.close() };
  },
  Postgres: async () => {
    const database = await createDatabase();
    const sql = connect(database.url, 4);
    const store = createSqlStore(sql);
    return {
      store,
      sql,
      close: async () => {
        await store.close();
        await database.drop();
      },
    };
  },
};

export async function openStore(kind: string, folder: string): Promise<OpenedStore> {
  const open = STORES[kind];
  if (open === undefined) throw new Error(`there is no store ${kind}`);
  return open(folder);
}

const TABLES = {
  name: "",
  text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
};

/** Columns whose bytes are compressed. */
const PACKED = {
  name: "",
  text: `select table_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' order by 1`,
};

async function unpacked(sql: Sql, table: string): Promise<readonly Buffer[]> {
  const text = `select encode(body, 'base64') as packed from ${table}`;
  const rows = await sql.query<{ packed: string }>({ name: "", text });
  return rows.map(({ packed }) => inflateRawSync(Buffer.from(packed, "base64")));
}

/** What a dump of the database shows only in a compressed form. */
export async function packedTexts(sql: Sql): Promise<readonly string[]> {
  const tables = await sql.query<{ name: string }>(PACKED);
  const texts: string[] = [];
  for (const { name } of tables) texts.push(...(await unpacked(sql, name)).map((one) => one.toString("utf8")));
  return texts;
}

/** Names of the tables in which a text stands in any column of any row, as it would stand in a dump, or packed. */
export async function tablesWith(sql: Sql, wanted: string): Promise<readonly string[]> {
  const tables = await sql.query<{ name: string }>(TABLES);
  const found: string[] = [];
  const packed = new Set((await sql.query<{ name: string }>(PACKED)).map(({ name }) => name));
  for (const { name } of tables) {
    if (packed.has(name) && (await unpacked(sql, name)).some((one) => one.includes(wanted))) found.push(name);
    const text = `select count(*)::int as found from ${name} t where position($1 in t::text) > 0`;
    const [row] = await sql.query<{ found: number }>({ name: "", text }, [wanted]);
    if ((row?.found ?? 0) > 0) found.push(name);
  }
  return found;
}
