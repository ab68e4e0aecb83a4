import type { Migration } from "./migration.ts";

/** What is paused: a run says so in its head, a workflow and an organisation (no workflow named) in a row of their own. */
export const PAUSES: Migration = {
  version: 47,
  name: "pauses",
  // An older replica would dispatch what is paused.
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
