import type { Migration } from "./migration.ts";

/** What a run was given besides its own text, and which node of its parent waits for it. */
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
