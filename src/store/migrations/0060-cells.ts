import type { Migration } from "./migration.ts";

/**
 * The cell of each organisation, for installations with several databases. In the directory, `organisations.cell` names
 * the cell; in a cell, it marks the rows of its own organisations. Null when there are no cells.
 */
export const CELLS: Migration = {
  version: 60,
  name: "cells",
  // An older replica would find every key and organisation in its one database, as before.
  minReader: 49,
  statements: [
    `alter table organisations add column cell text collate "C"`,
    `create table credential_organisations (
      kind text collate "C" not null,
      hash text collate "C" not null,
      org_id text collate "C" not null,
      primary key (kind, hash, org_id)
    )`,
    `create table cell_moves (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      source text collate "C" not null,
      target text collate "C" not null,
      stage text collate "C" not null,
      reason text,
      tables text,
      asked_by text,
      created_at bigint not null,
      updated_at bigint not null,
      frozen_at bigint,
      switched_at bigint
    )`,
    `create unique index cell_moves_open on cell_moves (org_id) where stage not in ('done', 'failed')`,
    `create index cell_moves_changed on cell_moves (updated_at)`,
    // A row exists while an organisation is arriving. The copying process locks it, and finds it deleted once the organisation lives here.
    `create table cell_arrivals (org_id text collate "C" primary key, move_id text collate "C" not null)`,
    // Attached only to the tables of a cell that an organisation is leaving.
    `create function refuse_moving() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('sluice.moves', true), '') <> tg_argv[0] then
          if coalesce(current_setting('sluice.pass_over', true), '') <> '' then return null; end if;
          raise exception using errcode = 'SL001', message = tg_argv[0];
        end if;
        if tg_op = 'DELETE' then return old; end if;
        return new;
      end $$`,
  ],
};
