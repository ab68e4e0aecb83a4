import { type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { openStorage, withStorage } from "./storage.ts";

export type MigrateOptions = Pick<ConfigFlags, "databaseUrl" | "data"> & { readonly quiet?: boolean };

/** Brings the database up to date; safe to run again, and while older replicas serve. */
export async function migrate(io: Io, options: MigrateOptions): Promise<number> {
  const config = readConfig(io, options, HOST_SETTINGS);
  const { store } = await withStorage(openStorage(io, config));
  try {
    await withStorage(store.migrate());
  } finally {
    await store.close().catch(() => undefined);
  }
  if (options.quiet !== true) io.err.write("the database is up to date\n");
  return EXIT.fine;
}
