import { PGlite } from "@electric-sql/pglite";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Bug } from "../core/base/index.ts";
import { StoreUnavailable, type Sql, type SqlValue, type Statement } from "../store/index.ts";
import { Connection } from "./connection.ts";
import { lockDirectory } from "./directory-lock.ts";
import { defaultSeedDirectory, plantDatabase } from "./seed.ts";
import { WalSync } from "./wal-sync.ts";

export interface EmbeddedOptions {
  /** Made if it is not there; one process at a time. */
  readonly directory: string;
  /** Where the empty database is kept that new ones are copied from; in the user's cache unless told. */
  readonly seedDirectory?: string;
}

/** A Postgres inside this process, on a directory. Survives the death of the process; has one connection. */
export async function openEmbedded({ directory, seedDirectory }: EmbeddedOptions): Promise<Sql> {
  await mkdir(directory, { recursive: true });
  const unlock = await lockDirectory(directory);
  try {
    const data = join(directory, "db");
    await plantDatabase(data, seedDirectory ?? defaultSeedDirectory());
    return sqlOf(await PGlite.create(data), new WalSync(data), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

function sqlOf(database: PGlite, wal: WalSync, unlock: () => Promise<void>): Sql {
  const connection = new Connection(database);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await database.close();
    await wal.close();
    await unlock();
  };
  return {
    query: (statement, params) =>
      connection.exclusive(async () => {
        checkOpen(closing);
        const rows = await ask<never>(connection, statement, params);
        if (!statement.text.startsWith("select")) await wal.sync();
        return rows;
      }),
    transaction: (work) =>
      connection.exclusive(async () => {
        checkOpen(closing);
        const result = await inTransaction(connection, work);
        await wal.sync();
        return result;
      }),
    close: () => (closing ??= connection.exclusive(close)),
  };
}

function checkOpen(closing: Promise<void> | null): void {
  if (closing !== null) throw new StoreUnavailable("the embedded database is closed");
}

async function inTransaction<T>(connection: Connection, work: (sql: Sql) => Promise<T>): Promise<T> {
  const within: Sql = {
    query: (statement, params) => ask(connection, statement, params),
    transaction: () => Promise.reject(new Bug("a transaction inside a transaction")),
    close: () => Promise.reject(new Bug("a transaction cannot close the database")),
  };
  await ask(connection, { name: "begin", text: "begin" });
  try {
    const result = await work(within);
    await ask(connection, { name: "commit", text: "commit" });
    return result;
  } catch (error) {
    await ask(connection, { name: "rollback", text: "rollback" });
    throw error;
  }
}

async function ask<Row>(
  connection: Connection,
  statement: Statement,
  params?: readonly SqlValue[],
): Promise<readonly Row[]> {
  try {
    return await connection.ask<Row>(statement, params);
  } catch (error) {
    // What the database answers has a code; anything else is the engine itself breaking.
    if (error instanceof Error && "code" in error) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`the embedded database cannot be used: ${reason}`, { cause: error });
  }
}
