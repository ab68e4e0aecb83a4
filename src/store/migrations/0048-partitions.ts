import { EXECUTION_TAGS } from "./0012-execution-tags.ts";
import { compressBodies } from "./compression.ts";
import type { Migration } from "./migration.ts";

/** Renames a table and its indexes, so that the new table can use their names. */
function renameOldTable(table: string, indexes: readonly string[]): readonly string[] {
  return [
    `alter table ${table} rename to ${table}_first`,
    ...indexes.map((name) => `alter index ${table}_${name} rename to ${table}_first_${name}`),
  ];
}

/**
 * Makes the old table the default partition, without rewriting it; an empty one is dropped and created again. A later
 * round splits off partitions for the time up to next week and the following weeks (`sql-partitions.ts`), so this step
 * takes no longer with more rows.
 */
function attachOldTableAsDefault(table: string): string {
  return `do $$
    begin
      if exists (select from ${table}_first) then
        alter table ${table} attach partition ${table}_first default;
      else
        drop table ${table}_first;
        create table ${table}_default partition of ${table} default;
      end if;
    end
  $$`;
}

/** Makes the view read the new table. Its permissions stay unchanged. */
const VIEW = EXECUTION_TAGS.statements.map((text) => text.replace("create view", "create or replace view"));

/**
 * Partitions the log and the verdicts by the time their runs were created, with which run ids begin. Old data is then
 * deleted as whole files.
 */
export const PARTITIONS: Migration = {
  version: 48,
  name: "partitions by time",
  minReader: 47,
  statements: [
    ...renameOldTable("event_blocks", ["pkey"]),
    `create table event_blocks (
      run_id text collate "C" not null,
      first_event_id int not null,
      last_event_id int not null,
      body text not null,
      org_id text collate "C" not null,
      primary key (run_id, first_event_id),
      constraint event_blocks_check check (first_event_id >= 1 and last_event_id >= first_event_id)
    ) partition by range (run_id)`,
    ...VIEW,
    attachOldTableAsDefault("event_blocks"),
    ...renameOldTable("verdict_blocks", ["pkey", "newest"]),
    `create table verdict_blocks (
      run_id text collate "C" not null,
      first_event_id int not null,
      org_id text collate "C" not null,
      at bigint not null,
      body text not null,
      primary key (run_id, first_event_id)
    ) partition by range (run_id)`,
    `create index verdict_blocks_newest on verdict_blocks (org_id, at desc)`,
    attachOldTableAsDefault("verdict_blocks"),
    compressBodies(["event_blocks", "verdict_blocks", "verdict_blocks_default"]),
  ],
};
