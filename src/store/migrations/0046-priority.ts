import type { Migration } from "./migration.ts";

/** Runs get a priority, which determines the ranks of waiting nodes. Nodes that already wait belong to runs of normal priority. */
export const PRIORITY: Migration = {
  version: 46,
  name: "priority",
  minReader: 32,
  statements: [
    `alter table runs add column priority text not null default 'normal'`,
    `update waiting_nodes set rank = rank + 2`,
  ],
};
