import type { Migration } from "./migration.ts";

/** Runs of blocks, with the block of the file they run. They are not listed, so the index for lists leaves them out. */
export const BLOCKS: Migration = {
  version: 30,
  name: "blocks",
  // An older replica would treat the run of a block as a run of the whole file.
  minReader: 30,
  statements: [
    `alter table runs add column block text collate "C"`,
    `create index runs_listed on runs (org_id, created_at desc, run_id desc) where block is null`,
    `create index runs_blocks on runs (run_id) where block is not null`,
    `drop index runs_newest`,
  ],
};
