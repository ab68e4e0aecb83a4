import { SLOT_STATES } from "../schedule-store.ts";
import { oneOf, type Migration } from "./migration.ts";

/** The cursor of each schedule, and the outcome of each slot. */
export const SCHEDULES: Migration = {
  version: 10,
  name: "schedules",
  minReader: 10,
  statements: [
    `create table schedule_cursors (
      org_id text collate "C" not null,
      schedule_id text collate "C" not null,
      edition text not null,
      looked_until bigint not null,
      primary key (org_id, schedule_id)
    )`,
    `create table schedule_slots (
      org_id text collate "C" not null,
      schedule_id text collate "C" not null,
      slot_at bigint not null,
      state text not null ${oneOf("state", SLOT_STATES)},
      workflow text collate "C" not null,
      run_id text collate "C",
      reason text,
      claimed_at bigint not null,
      claimed_by text not null,
      primary key (org_id, schedule_id, slot_at),
      check ((state = 'started') = (run_id is not null))
    )`,
    // This index is almost always empty, because claimed slots are started at once.
    `create index schedule_slots_unsettled on schedule_slots (org_id, schedule_id, state, slot_at)
      where state in ('claimed', 'queued')`,
  ],
};
