import type { Migration } from "./migration.ts";

/** Keys of events that are reported only once, whichever replica finds them first. */
export const ALERTS: Migration = {
  version: 8,
  name: "alerts",
  minReader: 8,
  statements: [
    `create table told_once (
      org_id text collate "C" not null,
      key text collate "C" not null,
      at bigint not null,
      primary key (org_id, key)
    )`,
  ],
};
