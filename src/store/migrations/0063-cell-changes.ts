import type { Migration } from "./migration.ts";

/** Log of changes during a copy, so that a move freezes the organisation only while it copies the rows changed since. */
export const CELL_CHANGES: Migration = {
  version: 63,
  name: "changes while an organisation is copied",
  minReader: 49,
  statements: [
    // Keys of rows that changed in the source since the triggers were created, and of rows that differed between both sides.
    `create table cell_changes (
      org_id text collate "C" not null,
      id bigint generated always as identity,
      table_name text collate "C" not null,
      row_key text collate "C" not null,
      primary key (org_id, id)
    )`,
    // Arguments: the organisation, the table (a partition has another name), and the columns of its key.
    `create function log_moving() returns trigger language plpgsql as $$
      declare
        changed jsonb;
        written jsonb;
        found jsonb;
      begin
        if coalesce(current_setting('sluice.moves', true), '') = tg_argv[0] then return null; end if;
        foreach changed in array array[to_jsonb(old), to_jsonb(new)] loop
          continue when changed is null;
          found := '[]';
          for place in 2 .. tg_nargs - 1 loop found := found || jsonb_build_array(changed -> tg_argv[place]); end loop;
          continue when found = written;
          insert into cell_changes (org_id, table_name, row_key) values (tg_argv[0], tg_argv[1], found::text);
          written := found;
        end loop;
        return null;
      end $$`,
    // In the target, only the move itself may change rows of an organisation that is still arriving.
    `create function refuse_arriving() returns trigger language plpgsql as $$
      begin
        if coalesce(current_setting('sluice.moves', true), '') <> tg_argv[0]
          and exists (select from cell_arrivals where org_id = tg_argv[0]) then
          if coalesce(current_setting('sluice.pass_over', true), '') <> '' then return null; end if;
          raise exception using errcode = 'SL001', message = tg_argv[0];
        end if;
        if tg_op = 'DELETE' then return old; end if;
        return new;
      end $$`,
  ],
};
