import { Bug } from "../../core/base/index.ts";
import { type Sql, StoreUnavailable } from "../index.ts";
import type { Connection } from "./connection.ts";
import type { Engine } from "./engine.ts";
import { Vacuum } from "./vacuum.ts";
import type { WalSync } from "./wal-sync.ts";

/** Puts an open database behind the `Sql` port. Statements run one after the other. `released` is called after closing. */
export function databaseSql(engine: Engine, wal: WalSync, released: () => Promise<void>): Sql {
  let turn: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const exclusive = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
    inTurn(async () => {
      if (closing !== null) throw new StoreUnavailable("the embedded database is closed");
      return work(await engine.connection());
    });
  const vacuum = new Vacuum();
  const written = async (): Promise<void> => {
    await synced(wal);
    const text = vacuum.afterWrite();
    // Queued separately, after the statements that already wait. It only improves speed, so a failure is ignored until the next vacuum.
    if (text !== null)
      void exclusive((connection) => engine.ask(connection, { name: "", text })).catch(() => undefined);
  };
  const close = async (): Promise<void> => {
    await engine.close();
    await wal.close();
    await released();
  };
  return {
    query: (statement, params) =>
      exclusive(async (connection) => {
        const rows = await engine.ask<never>(connection, statement, params);
        if (!statement.text.startsWith("select")) await written();
        return rows;
      }),
    transaction: (work) =>
      exclusive(async (connection) => {
        const result = await inTransaction(engine, connection, work);
        await written();
        return result;
      }),
    close: () => (closing ??= inTurn(close)),
  };
}

/** Syncs the WAL. When the sync fails, the commit may or may not be kept, as when a database disconnects during a commit. */
async function synced(wal: WalSync): Promise<void> {
  await wal.sync().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`the embedded database cannot reach its disk: ${reason}`, { cause: error });
  });
}

async function inTransaction<T>(engine: Engine, connection: Connection, work: (sql: Sql) => Promise<T>): Promise<T> {
  const within: Sql = {
    query: (statement, params) => engine.ask(connection, statement, params),
    transaction: () => Promise.reject(new Bug("a transaction inside a transaction")),
    close: () => Promise.reject(new Bug("a transaction cannot close the database")),
  };
  await within.query({ name: "begin", text: "begin" });
  try {
    const result = await work(within);
    await within.query({ name: "commit", text: "commit" });
    return result;
  } catch (error) {
    // A broken engine has already lost the transaction, so there is nothing to roll back.
    if (engine.isOpen(connection)) await within.query({ name: "rollback", text: "rollback" });
    throw error;
  }
}
