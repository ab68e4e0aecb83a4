import { guarded } from "./0005-audit.ts";
import type { Migration } from "./migration.ts";

/** Sets LZ4 on text columns of any length, in all tables and partitions. Ids and other short texts, which compare by byte, are left out. */
const QUICK_TEXTS = `do $$
  declare
    written record;
  begin
    for written in
      select c.oid::regclass as name, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
        and not a.attisdropped and a.atttypid = 'text'::regtype and a.attcompression = ''
        and a.attcollation = 'pg_catalog.default'::regcollation
        -- Other programs wait there for this step.
        and c.relname <> 'schema_migrations'
    loop
      execute format('alter table %s alter column %I set compression lz4', written.name, written.attname);
    end loop;
  exception
    when feature_not_supported or syntax_error then null;
  end
$$`;

/**
 * Parts that verdicts share are stored once, in `verdict_parts`. Sealed records are in blocks of compressed lines, for each
 * segment one block for the categories kept for ever and one for the others; their search keys are stored beside them. Records of
 * an open segment are in `audit_open`, one row for each sealing. The rounds of the sealer pack older records.
 */
export const SMALLER: Migration = {
  version: 49,
  name: "smaller rows",
  // An older replica would not find the records.
  minReader: 49,
  statements: [
    `create table verdict_parts (
      org_id text collate "C" not null,
      name text collate "C" not null,
      body text not null,
      primary key (org_id, name)
    )`,
    `create table audit_open (
      org_id text collate "C" not null,
      to_seq bigint not null,
      newest_at bigint not null,
      body bytea not null,
      primary key (org_id, to_seq)
    )`,
    `alter table audit_open alter column body set storage external`,
    `create table audit_blocks (
      org_id text collate "C" not null,
      to_seq bigint not null,
      is_kept boolean not null,
      at bigint not null,
      body bytea not null,
      primary key (org_id, to_seq, is_kept, at)
    ) partition by list (is_kept)`,
    `alter table audit_blocks alter column body set storage external`,
    `create table audit_blocks_kept partition of audit_blocks for values in (true)`,
    `create table audit_blocks_timed partition of audit_blocks for values in (false) partition by range (at)`,
    `create table audit_blocks_timed_default partition of audit_blocks_timed default`,
    `create table audit_facets (
      org_id text collate "C" not null,
      facet text collate "C" not null,
      to_seq bigint not null,
      primary key (org_id, facet, to_seq)
    )`,
    ...guarded("audit_blocks"),
    ...guarded("audit_facets"),
    ...guarded("audit_open"),
    QUICK_TEXTS,
  ],
};
