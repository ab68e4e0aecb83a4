import { type Config, type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { readCellsFile } from "./cells-file.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { openStorage, withStorage } from "./storage.ts";

export type MigrateOptions = Pick<ConfigFlags, "databaseUrl" | "cells" | "data"> & { readonly quiet?: boolean };

/** Updates the database to the current schema. Safe to repeat, and safe while older replicas are serving. */
export async function migrate(io: Io, options: MigrateOptions): Promise<number> {
  const config = readConfig(io, options, HOST_SETTINGS);
  if (config.cells !== undefined) return migrateCells(io, config, config.cells, options.quiet === true);
  const { store } = await withStorage(openStorage(io, config));
  try {
    await withStorage(store.migrate());
  } finally {
    await store.close().catch(() => undefined);
  }
  if (options.quiet !== true) io.err.write("the database is up to date\n");
  return EXIT.fine;
}

/** Migrates the cells one after the other. When one fails, those before it are up to date and the others are unchanged. */
async function migrateCells(io: Io, { data }: Config, file: string, isQuiet: boolean): Promise<number> {
  const { cells, directory } = await readCellsFile(io, file);
  for (const cell of new Set([...cells, directory])) {
    const { store } = await withStorage(openStorage(io, { data, databaseUrl: cell.url }));
    try {
      await withStorage(store.migrate());
    } finally {
      await store.close().catch(() => undefined);
    }
    if (!isQuiet) io.err.write(`${cell.name} is up to date\n`);
  }
  return EXIT.fine;
}
