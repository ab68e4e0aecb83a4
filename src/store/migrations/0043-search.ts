import type { Migration } from "./migration.ts";

/**
 * Columns and tables for searching runs. Every list is newest first, so every index ends with the creation time: a page
 * is the beginning of a range, for any number of runs. Runs of blocks are not listed and have no `listed_at`.
 * `settled_micros` and `duration_ms` are set when a run ends: an index on a value that changes with every commit would
 * make every commit update all indexes of the head. `run_facets` has what a run may have several of: labels, agents,
 * models.
 */
export const SEARCH: Migration = {
  version: 43,
  name: "search",
  // An older replica would not fill the columns.
  minReader: 43,
  statements: [
    `alter table runs add column labels text not null default '{}'`,
    `alter table run_heads add column workflow text collate "C", add column listed_at bigint,
      add column error_code text collate "C", add column error_message text,
      add column settled_micros bigint, add column duration_ms bigint`,
    `update run_heads h set workflow = r.workflow, listed_at = case when r.block is null then r.created_at end,
      settled_micros = case when h.ended_at is not null then h.cost_micros end,
      duration_ms = h.ended_at - coalesce(h.started_at, r.created_at)
      from runs r where r.run_id = h.run_id`,
    `create index runs_of_workflow on runs (org_id, workflow, created_at desc, run_id desc) where block is null`,
    `create index runs_of_version on runs (org_id, version, created_at desc, run_id desc) where block is null`,
    `create index runs_of_trigger on runs (org_id, trigger, created_at desc, run_id desc) where block is null`,
    `create index runs_of_starter on runs (org_id, started_by, created_at desc, run_id desc) where block is null`,
    `create index run_heads_status on run_heads (org_id, status, listed_at desc, run_id desc)
      where listed_at is not null`,
    `create index run_heads_workflow on run_heads (org_id, workflow, status, listed_at desc, run_id desc)
      where listed_at is not null`,
    `create index run_heads_error on run_heads (org_id, error_code, listed_at desc, run_id desc)
      where error_code is not null and listed_at is not null`,
    `create index run_heads_cost on run_heads (org_id, settled_micros)
      where settled_micros is not null and listed_at is not null`,
    `create index run_heads_duration on run_heads (org_id, duration_ms)
      where duration_ms is not null and listed_at is not null`,
    `create table run_facets (
      org_id text collate "C" not null,
      facet text collate "C" not null,
      created_at bigint not null,
      run_id text collate "C" not null,
      primary key (org_id, facet, created_at, run_id)
    )`,
    `create index run_facets_run on run_facets (run_id)`,
    // Runs to be indexed by words, agents and models. There is no key except a number, so that a commit never waits for a reader.
    `create table unindexed_runs (
      id bigint generated always as identity primary key,
      org_id text collate "C" not null,
      run_id text collate "C" not null
    )`,
    `insert into unindexed_runs (org_id, run_id) select org_id, run_id from runs where block is null order by created_at`,
    `create table run_words (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      created_at bigint not null,
      words tsvector not null
    )`,
    `create index run_words_newest on run_words (org_id, created_at desc, run_id desc)`,
    `create index run_words_words on run_words using gin (words)`,
  ],
};
