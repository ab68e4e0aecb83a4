import { PGlite, type Transaction } from "@electric-sql/pglite";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Bug } from "../core/base/index.ts";
import { StoreUnavailable, type Sql, type SqlValue, type Statement } from "../store/index.ts";
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
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await database.close();
    await wal.close();
    await unlock();
  };
  return {
    query: async <Row>(statement: Statement, params?: readonly SqlValue[]) => {
      const rows = await ask<Row>(database, statement, params);
      if (!statement.text.startsWith("select")) await wal.sync();
      return rows;
    },
    transaction: async (work) => {
      const result = await database.transaction((transaction) => work(within(transaction))).catch(rethrow);
      await wal.sync();
      return result;
    },
    close: () => (closing ??= close()),
  };
}

function within(transaction: Transaction): Sql {
  return {
    query: (statement, params) => ask(transaction, statement, params),
    transaction: () => Promise.reject(new Bug("a transaction inside a transaction")),
    close: () => Promise.reject(new Bug("a transaction cannot close the database")),
  };
}

async function ask<Row>(
  asked: Pick<PGlite, "query">,
  { text }: Statement,
  params: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  const { rows } = await asked.query<Row>(text, [...params]).catch(rethrow);
  return rows;
}

/** What the database says has a code; anything else is the engine itself breaking. */
function rethrow(error: unknown): never {
  const isAnswer = error instanceof Error && ("code" in error || error instanceof Bug);
  if (isAnswer || error instanceof StoreUnavailable) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  throw new StoreUnavailable(`the embedded database cannot be used: ${reason}`, { cause: error });
}
