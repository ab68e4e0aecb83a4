import { RUN_STATUSES } from "../../core/event/index.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Number of partitions of the log. The log outgrows all other tables; its partitions can be cleaned, moved and restored separately. */
const EVENT_PARTITIONS = 8;

/**
 * Facts of a run that never change are in a wide row written once. Facts that change with every commit are in a narrow
 * row with free space on its page, so that an update touches no index. Ids compare by byte in every locale.
 */
export const RUNS: Migration = {
  version: 1,
  name: "runs",
  minReader: 1,
  statements: [
    `create table runs (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      workflow text collate "C" not null,
      version int,
      definition_hash text collate "C" not null,
      args text not null,
      trigger text not null,
      trace_id text not null,
      root_span_id text not null,
      parent_run_id text collate "C",
      source_run_id text collate "C",
      recursion_depth int not null,
      gateway text,
      model text,
      role_bindings text not null,
      started_by text,
      created_at bigint not null
    )`,
    `create index runs_newest on runs (org_id, created_at desc, run_id desc)`,
    `create index runs_children on runs (parent_run_id) where parent_run_id is not null`,
    `create table run_heads (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      row_version int not null,
      status text not null ${oneOf("status", RUN_STATUSES)},
      epoch int not null,
      last_event_id int not null,
      cost_micros bigint not null,
      started_at bigint,
      ended_at bigint
    ) with (fillfactor = 50)`,
    // Only a change of status updates this index: once or twice in a run's life.
    `create index run_heads_open on run_heads (run_id) where status in ('queued', 'running', 'recovered')`,
    `create table event_blocks (
      run_id text collate "C" not null,
      first_event_id int not null,
      last_event_id int not null,
      body text not null,
      org_id text collate "C" not null,
      primary key (run_id, first_event_id),
      check (first_event_id >= 1 and last_event_id >= first_event_id)
    ) partition by hash (run_id)`,
    ...Array.from(
      { length: EVENT_PARTITIONS },
      (_, index) =>
        `create table event_blocks_${index} partition of event_blocks
          for values with (modulus ${EVENT_PARTITIONS}, remainder ${index})`,
    ),
    `create table blobs (
      org_id text collate "C" not null,
      hash text collate "C" not null,
      bytes int not null,
      body text not null,
      primary key (org_id, hash)
    )`,
  ],
};
