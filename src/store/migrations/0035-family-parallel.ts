import type { Migration } from "./migration.ts";

/** An attempt of a run that has blocks, or of a block, counts in `max_parallel` of the run whose file it is. */
export const FAMILY_PARALLEL: Migration = {
  version: 35,
  name: "family parallel",
  minReader: 32,
  statements: [`alter table open_attempts add column parallel_of text collate "C"`],
};
