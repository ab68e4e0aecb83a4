import type { Migration } from "./migration.ts";

/** Runs have a priority, and ranks of waiting nodes follow from it: those that wait already are of normal runs. */
export const PRIORITY: Migration = {
  version: 46,
  name: "priority",
  minReader: 32,
  statements: [
    `alter table runs add column priority text not null default 'normal'`,
    `update waiting_nodes set rank = rank + 2`,
  ],
};
