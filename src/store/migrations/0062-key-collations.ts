import type { Migration } from "./migration.ts";

/** Keys sort the same in every locale of a database, because a move compares ranges of keys in two databases. */
export const KEY_COLLATIONS: Migration = {
  version: 62,
  name: "keys sort by bytes",
  minReader: 49,
  statements: [
    `alter table channel_postings alter column place type text collate "C", alter column id type text collate "C"`,
    `alter table run_trends alter column bucket type text collate "C", alter column grouped_by type text collate "C"`,
  ],
};
