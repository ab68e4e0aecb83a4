import { existsSync } from "node:fs";
import { MissingPackage } from "../core/base/index.ts";
import { DirectoryInUse, openEmbedded } from "../store/embedded/index.ts";
import { createSqlStore, PoolerUnsupported, SchemaMismatch, type Store, StoreUnavailable } from "../store/index.ts";
import type { Config } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { withSharedVersions } from "./shared-versions.ts";
import { printable } from "./terminal-text.ts";

/** The store and whether it is embedded. */
export interface Storage {
  readonly store: Store;
  /** True when no other process can use the store. */
  readonly isEmbedded: boolean;
}

/** Opens the database that was named, else the one inside the data directory. */
export async function openStorage(io: Io, config: Pick<Config, "databaseUrl" | "data">): Promise<Storage> {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import("../store/postgres/index.ts");
    const sql = openPostgres({ url: config.databaseUrl });
    try {
      await sql.checkPooler();
    } catch (thrown) {
      await sql.close().catch(() => undefined);
      throw thrown;
    }
    return { store: withSharedVersions(createSqlStore(sql), () => io.clock.now()), isEmbedded: false };
  }
  const directory = new DataDirectory(config.data);
  directory.create();
  if (!existsSync(directory.databasePath)) io.err.write("preparing the database, once …\n");
  return { store: createSqlStore(await openEmbedded({ directory: directory.databasePath })), isEmbedded: true };
}

/** Reports a database problem in one line. Passes all other errors on. */
export async function withStorage<T>(what: Promise<T>): Promise<T> {
  try {
    return await what;
  } catch (thrown) {
    throw explained(thrown);
  }
}

function explained(thrown: unknown): unknown {
  if (thrown instanceof PoolerUnsupported) return new Refusal(`pooler_unsupported: ${printable(thrown.message)}`);
  if (thrown instanceof StoreUnavailable) {
    return new Refusal(`the database cannot be reached: ${printable(thrown.message)}`, EXIT.unreachable);
  }
  if (thrown instanceof MissingPackage) {
    return new Refusal(`${thrown.message}, or give a Postgres database with --database-url`);
  }
  if (thrown instanceof DirectoryInUse) return new Refusal(printable(thrown.message));
  if (isUnprepared(thrown)) return new Refusal("the database is empty: run `sluice migrate` first");
  if (thrown instanceof SchemaMismatch) {
    return new Refusal(printable(thrown.message.replace("run the migrations", "run `sluice migrate` first")));
  }
  return thrown;
}

/** Checks for the Postgres error of a missing table. In a Sluice database this means that it was never migrated. */
export function isUnprepared(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "42P01";
}
