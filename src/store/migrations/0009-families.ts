import type { Migration } from "./migration.ts";

/** Parameters of a run besides its own text, and the node of its parent that waits for it. */
export const FAMILIES: Migration = {
  version: 9,
  name: "families",
  minReader: 9,
  statements: [
    `alter table runs
      add column pinned_hash text collate "C",
      add column team text collate "C",
      add column recovery_max int,
      add column parent_node text collate "C",
      add column parent_attempt int`,
    `create index runs_recoverable on runs (run_id) where recovery_max > 0`,
  ],
};
