import type { Migration } from "./migration.ts";

/** Pauses: a run has its pause in its head; a workflow or an organisation (row without a workflow) has a row of its own. */
export const PAUSES: Migration = {
  version: 47,
  name: "pauses",
  // An older replica would dispatch paused work.
  minReader: 47,
  statements: [
    `alter table run_heads add column paused text`,
    `create table pauses (
      org_id text collate "C" not null,
      workflow text collate "C" not null,
      by text,
      reason text,
      at bigint not null,
      primary key (org_id, workflow)
    )`,
  ],
};
