import type { Migration } from "./migration.ts";

/** Runs that hold a place among those with the same key, and runs that wait for one. */
export const PLACES: Migration = {
  version: 32,
  name: "places",
  // An older replica would not release places, and would not know the timer of a run that waits for one.
  minReader: 32,
  statements: [
    `create table run_places (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      key text collate "C" not null,
      slot int,
      since bigint not null
    )`,
    // This index rejects the second of two runs that take the same place at the same time, on any replicas.
    `create unique index run_places_held on run_places (org_id, key, slot) where slot is not null`,
    `create index run_places_waiting on run_places (org_id, key, since, run_id) where slot is null`,
  ],
};
