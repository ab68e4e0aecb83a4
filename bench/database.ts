/** The databases the runtime is measured on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../src/store/embedded/index.ts";
import { openPostgres } from "../src/store/postgres/index.ts";
import { createSqlStore, type Sql, type Store } from "../src/store/index.ts";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";

export interface BenchDatabase {
  readonly name: "postgres" | "embedded";
  readonly sql: Sql;
  readonly store: Store;
  /** Null: no other process can be at it. */
  readonly url: string | null;
  close(): Promise<void>;
}

/** A server of our own that syncs every commit to disk, so that figures can be compared between machines. */
export async function openBenchPostgres(): Promise<BenchDatabase> {
  const server = await startPostgres({ fsync: true });
  const sql = openPostgres({ url: server.url });
  const store = createSqlStore(sql);
  await store.migrate();
  return {
    name: "postgres",
    sql,
    store,
    url: server.url,
    async close() {
      await store.close();
      await server.dispose();
    },
  };
}

export async function openBenchEmbedded(): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const sql = await openEmbedded({ directory });
  const store = createSqlStore(sql);
  await store.migrate();
  return {
    name: "embedded",
    sql,
    store,
    url: null,
    async close() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
