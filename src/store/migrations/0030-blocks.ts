import type { Migration } from "./migration.ts";

/** Runs of blocks: which block of the file they run. They are not listed, and so the index of lists does not hold them. */
export const BLOCKS: Migration = {
  version: 30,
  name: "blocks",
  // An older replica would take the run of a block for one of the whole file.
  minReader: 30,
  statements: [
    `alter table runs add column block text collate "C"`,
    `create index runs_listed on runs (org_id, created_at desc, run_id desc) where block is null`,
    `create index runs_blocks on runs (run_id) where block is not null`,
    `drop index runs_newest`,
  ],
};
