import type { PGlite } from "@electric-sql/pglite";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { missingPackage } from "../../core/base/index.ts";
import type { Sql } from "../index.ts";
import { lockDirectory } from "./directory-lock.ts";
import { createFromSeed } from "./seed.ts";
import { WalSync } from "./wal-sync.ts";

export interface EmbeddedOptions {
  /** Data directory. It is created when missing. Only one process may use it at a time. */
  readonly directory: string;
  /** Directory of the empty database that is copied for new ones; default: the one in the package, else the one in the user's cache. */
  readonly seedDirectory?: string;
}

/** Half of the default: the buffers use memory of this process, and the system caches the same files a second time. */
const SHARED_BUFFERS = "shared_buffers=64MB";

/**
 * The database's functions are first compiled quickly, and optimised only after a hundred times as much work as V8's
 * default: a start calls thousands of them a few times each, and would spend a third of its time on optimising.
 */
const PATIENT_COMPILER = "--wasm-tiering-budget=180000000";

/**
 * Opens a Postgres inside this process, on a directory. Data survives the death of the process. There is one connection. The
 * engine is loaded only here: a process that only locks a directory, or uses another database, does not need it.
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
      createFromSeed(data, seedDirectory),
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
