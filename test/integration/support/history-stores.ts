import { join } from "node:path";
import { openEmbedded } from "../../../src/store/embedded/index.ts";
import { openPostgres } from "../../../src/store/postgres/index.ts";
import { createMemoryStore, createSqlStore, type Sql, type Store } from "../../../src/store/index.ts";
import { createDatabase } from "../../postgres/database.ts";

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
    const sql = openPostgres({ url: database.url, connections: 4 });
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

/** Names of the tables in which a text stands in any column of any row. */
export async function tablesWith(sql: Sql, wanted: string): Promise<readonly string[]> {
  const tables = await sql.query<{ name: string }>(TABLES);
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select count(*)::int as found from ${name} t where position($1 in t::text) > 0`;
    const [row] = await sql.query<{ found: number }>({ name: "", text }, [wanted]);
    if ((row?.found ?? 0) > 0) found.push(name);
  }
  return found;
}
