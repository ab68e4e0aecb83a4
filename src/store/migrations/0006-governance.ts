import type { Migration } from "./migration.ts";

/**
 * Counters that are checked before a dispatch, verdicts, and usage. Limits are stored beside the counters, so that a
 * commit checks them on the locked row: a value above its limit becomes null, which every column rejects.
 */
export const GOVERNANCE: Migration = {
  version: 6,
  name: "governance",
  minReader: 6,
  statements: [
    `alter table open_attempts add column agent_id text collate "C"`,
    `alter table open_attempts add column reserved text not null default '[]'`,
    `create table agent_counters (
      org_id text collate "C" not null,
      agent_id text collate "C" not null,
      open int not null,
      max_open int,
      hits bigint[] not null,
      rate_count int,
      window_ms bigint,
      primary key (org_id, agent_id)
    ) with (fillfactor = 50)`,
    `create table envelope_counters (
      org_id text collate "C" not null,
      envelope_id text collate "C" not null,
      period_start bigint not null,
      spent bigint not null,
      reserved bigint not null,
      ceiling bigint,
      primary key (org_id, envelope_id, period_start)
    ) with (fillfactor = 50)`,
    `create table usage_records (
      org_id text collate "C" not null,
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      attempt int not null,
      workflow text collate "C" not null,
      agent_id text collate "C",
      model text collate "C",
      gateway_id text collate "C",
      input_tokens bigint not null,
      output_tokens bigint not null,
      thinking_tokens bigint not null,
      cached_tokens bigint not null,
      cost_micros bigint not null,
      price_id text,
      at bigint not null
    )`,
    `create index usage_records_newest on usage_records (org_id, at)`,
    `create table verdict_blocks (
      run_id text collate "C" not null,
      first_event_id int not null,
      org_id text collate "C" not null,
      at bigint not null,
      body text not null,
      primary key (run_id, first_event_id)
    )`,
    `create index verdict_blocks_newest on verdict_blocks (org_id, at desc)`,
  ],
};
