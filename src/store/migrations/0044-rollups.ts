import type { Migration } from "./migration.ts";

const SPENT = `count int not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      thinking_tokens bigint not null,
      cached_tokens bigint not null,
      cost_micros bigint not null`;

/**
 * Sums that are kept for ever. Usage is summed by hour and by day after the hour has ended, for all hours before
 * `rolled_until`. Usage that is written late puts its hour into `late_usage`, and that hour is summed again. Trends are
 * summed run by run, and the share of each run is kept beside its words.
 */
export const ROLLUPS: Migration = {
  version: 44,
  name: "rollups",
  // An older replica would not record the hours of late usage.
  minReader: 44,
  statements: [
    `create table usage_sums (
      org_id text collate "C" not null,
      span text not null check (span in ('hour', 'day')),
      start bigint not null,
      workflow text collate "C" not null,
      agent_id text collate "C",
      model text collate "C",
      gateway_id text collate "C",
      ${SPENT}
    )`,
    `create index usage_sums_newest on usage_sums (org_id, span, start)`,
    `create table late_usage (
      org_id text collate "C" not null,
      start bigint not null,
      primary key (org_id, start)
    )`,
    `create table usage_rolling (one boolean primary key check (one), rolled_until bigint not null)`,
    `create table run_trends (
      org_id text collate "C" not null,
      bucket text not null check (bucket in ('hour', 'day')),
      grouped_by text not null,
      group_name text collate "C" not null,
      start bigint not null,
      figures text not null,
      primary key (org_id, bucket, grouped_by, start, group_name)
    )`,
    `alter table run_words add column trend text`,
  ],
};
