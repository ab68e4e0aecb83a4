import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { createSqlStore, type Sql } from "../../src/store/index.ts";
import { suiteServer } from "./server.ts";

export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

const TEMPLATE = "sluice_template";
/** Above what any statement takes, or waits for a connection, where many files of tests share two cores. */
const PATIENCE_MS = 150_000;

/** Connections of a test: unlike a server, it does not give up a database that is slow. */
export function connect(url: string, connections: number): Sql {
  return openPostgres({ url, connections, connectTimeoutMs: PATIENCE_MS, statementTimeoutMs: PATIENCE_MS });
}

/** A database of one's own: empty, or a copy of the one that was migrated once for the whole suite. */
export async function createDatabase(kind: "migrated" | "empty" = "migrated"): Promise<TestDatabase> {
  // Test files run in processes that the suite's process has forked.
  const server = await suiteServer(process.ppid);
  const name = `test_${randomBytes(6).toString("hex")}`;
  await withAdmin(server, async (admin) => {
    if (kind === "migrated") await ensureTemplate(admin, server);
    await admin.query(plain(`create database ${name} template ${kind === "migrated" ? TEMPLATE : "template0"}`));
  });
  return {
    url: `${server}/${name}`,
    drop: () =>
      withAdmin(server, async (admin) => void (await admin.query(plain(`drop database ${name} with (force)`)))),
  };
}

async function withAdmin<T>(server: string, work: (admin: Sql) => Promise<T>): Promise<T> {
  const admin = connect(`${server}/postgres`, 1);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

const plain = (text: string): { name: string; text: string } => ({ name: "", text });

/** Made under another name and renamed when it is whole; the second process finds it or waits for it. */
async function ensureTemplate(admin: Sql, server: string): Promise<void> {
  const exists = async (name: string): Promise<boolean> =>
    (await admin.query(plain(`select from pg_database where datname = '${name}'`))).length > 0;
  const making = `${TEMPLATE}_making`;
  while (!(await exists(TEMPLATE))) {
    const isMine = await admin.query(plain(`create database ${making}`)).then(
      () => true,
      () => false,
    );
    if (!isMine) {
      await sleep(50);
      continue;
    }
    // Another process may have renamed its own after this one looked.
    if (await exists(TEMPLATE)) {
      await admin.query(plain(`drop database ${making}`));
      return;
    }
    const store = createSqlStore(connect(`${server}/${making}`, 1));
    await store.migrate();
    await store.close();
    await renameWhenFree(admin, making);
  }
}

/** A connection that was just closed may linger for a moment on the server. */
async function renameWhenFree(admin: Sql, making: string): Promise<void> {
  await admin.query(plain(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${making}'`));
  await admin.query(plain(`alter database ${making} rename to ${TEMPLATE}`));
}
