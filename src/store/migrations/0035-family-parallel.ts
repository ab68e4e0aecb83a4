import type { Migration } from "./migration.ts";

/** An attempt of a block, or of a run with blocks, counts towards `max_parallel` of the run that owns the file. */
export const FAMILY_PARALLEL: Migration = {
  version: 35,
  name: "family parallel",
  minReader: 32,
  statements: [`alter table open_attempts add column parallel_of text collate "C"`],
};
