import type { PGlite } from "@electric-sql/pglite";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { missingPackage } from "../../core/base/index.ts";
import type { Sql } from "../index.ts";
import { lockDirectory } from "./directory-lock.ts";
import { plantDatabase } from "./seed.ts";
import { WalSync } from "./wal-sync.ts";

export interface EmbeddedOptions {
  /** Made if it is not there; one process at a time. */
  readonly directory: string;
  /** Where the empty database is kept that new ones are copied from; default: in the package, else in the user's cache. */
  readonly seedDirectory?: string;
}

/** Half of the default: they are part of this process's memory, and the system caches the same files a second time. */
const SHARED_BUFFERS = "shared_buffers=64MB";

/**
 * Functions of the database are compiled quickly first, and optimised only once they have worked a hundred times as much as
 * V8's default: a start uses thousands of them a little, and would spend a third of its time on optimising those.
 */
const PATIENT_COMPILER = "--wasm-tiering-budget=180000000";

/**
 * A Postgres inside this process, on a directory. Survives the death of the process; has one connection. It is loaded
 * here and not before: a process that only locks a directory, or has a database elsewhere, does not need it.
 */
export async function openEmbedded({ directory, seedDirectory }: EmbeddedOptions): Promise<Sql> {
  await mkdir(directory, { recursive: true });
  const unlock = await lockDirectory(directory);
  try {
    const data = join(directory, "db");
    const [{ PGlite }, { databaseSql }, { Engine }] = await Promise.all([
      import("@electric-sql/pglite"),
      import("./database-sql.ts"),
      import("./engine.ts"),
      plantDatabase(data, seedDirectory),
    ]);
    setFlagsFromString(PATIENT_COMPILER);
    const startParams = [...PGlite.defaultStartParams, "-c", SHARED_BUFFERS];
    const open = (): Promise<PGlite> => PGlite.create(data, { startParams });
    return databaseSql(new Engine(await open(), open), new WalSync(data), unlock);
  } catch (error) {
    await unlock();
    throw missingPackage(error, "@electric-sql/pglite");
  }
}
