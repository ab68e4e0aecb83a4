import type { PGlite } from "@electric-sql/pglite";
import { Bug } from "../core/base/index.ts";
import { StoreUnavailable, type Sql, type SqlValue, type Statement } from "../store/index.ts";
import { Connection } from "./connection.ts";
import type { WalSync } from "./wal-sync.ts";

/** An open database behind the port; `released` follows its closing. */
export function databaseSql(database: PGlite, wal: WalSync, released: () => Promise<void>): Sql {
  const connection = new Connection(database);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await database.close();
    await wal.close();
    await released();
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
