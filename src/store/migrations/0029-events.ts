import { compressBodies } from "./compression.ts";
import type { Migration } from "./migration.ts";

/** Kept events of an organisation, and the nodes that wait for them. One index on each side finds the other. */
export const EVENTS: Migration = {
  version: 29,
  name: "events",
  // An older replica would not delete waiters, and would not know the timers of waits.
  minReader: 29,
  statements: [
    `create table received_events (
      org_id text collate "C" not null,
      id text collate "C" not null,
      type text collate "C" not null,
      key_digest text collate "C" not null,
      body text not null,
      hops int not null,
      sent_by text collate "C",
      received_at bigint not null,
      expires_at bigint not null,
      marked_at bigint,
      primary key (org_id, id)
    )`,
    `create index received_events_match on received_events (org_id, type, key_digest, received_at, id)`,
    `create index received_events_time on received_events (org_id, received_at, id)`,
    `create index received_events_expired on received_events (expires_at) where marked_at is null`,
    `create index received_events_marked on received_events (marked_at) where marked_at is not null`,
    `create table event_waiters (
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      org_id text collate "C" not null,
      epoch int not null,
      blocked_by int not null,
      type text collate "C" not null,
      key_digest text collate "C" not null,
      since bigint not null,
      marked_at bigint,
      primary key (run_id, node_id)
    )`,
    `create index event_waiters_match on event_waiters (org_id, type, key_digest, run_id, node_id)`,
    `create index event_waiters_marked on event_waiters (marked_at) where marked_at is not null`,
    compressBodies(["received_events"]),
  ],
};
