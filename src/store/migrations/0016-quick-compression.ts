import type { Migration } from "./migration.ts";

/** What every commit writes as text, and the database compresses when it is long. */
const LONG_TEXTS = ["verdict_blocks", "audit_pending", "event_blocks"];

/**
 * LZ4 takes a fraction of the time the default does, for nearly the same size. Not every database is built with it, and
 * one that is older than 14 does not know the words: those keep what they have.
 */
export const QUICK_COMPRESSION: Migration = {
  version: 16,
  name: "quick compression",
  minReader: 13,
  statements: [
    `do $$
      declare
        written regclass;
      begin
        for written in
          select c.oid from pg_class c where c.relname in (${LONG_TEXTS.map((name) => `'${name}'`).join(", ")})
            and c.relnamespace = current_schema()::regnamespace
          union all
          select i.inhrelid from pg_inherits i where i.inhparent = 'event_blocks'::regclass
        loop
          execute format('alter table %s alter column body set compression lz4', written);
        end loop;
      exception
        when feature_not_supported or syntax_error then null;
      end
    $$`,
  ],
};
