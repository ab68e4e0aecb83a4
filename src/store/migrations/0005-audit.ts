import { AUDIT_CATEGORIES, AUDIT_TYPES } from "../../core/audit/index.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Sealed records never change. Only pruning, which leaves a signed note, may switch off this guard, for its own transaction. */
const GUARD = `create function audit_guard() returns trigger language plpgsql as $$
  begin
    if current_setting('sluice.prune', true) is distinct from 'on' then
      raise exception 'audit records are never changed or deleted' using errcode = 'insufficient_privilege';
    end if;
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end $$`;

export function guarded(table: string): readonly string[] {
  return [
    `create trigger ${table}_rows before update or delete on ${table} for each row execute function audit_guard()`,
    `create trigger ${table}_whole before truncate on ${table} for each statement execute function audit_guard()`,
  ];
}

/** Entries wait outside the chain, so that no commit waits until another has taken its place in the chain. */
export const AUDIT: Migration = {
  version: 5,
  name: "audit",
  minReader: 5,
  statements: [
    `create table audit_pending (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      at bigint not null,
      body text not null
    )`,
    `create index audit_pending_oldest on audit_pending (org_id, at, id)`,
    `create table audit_heads (
      org_id text collate "C" primary key,
      seq bigint not null,
      hash text not null,
      segment text,
      segment_opened_at bigint
    )`,
    `create index audit_heads_open on audit_heads (segment_opened_at) where segment_opened_at is not null`,
    `create table audit_records (
      org_id text collate "C" not null,
      seq bigint not null,
      at bigint not null,
      category text not null ${oneOf("category", AUDIT_CATEGORIES)},
      type text not null ${oneOf("type", AUDIT_TYPES)},
      run_id text collate "C",
      body text not null,
      primary key (org_id, seq)
    )`,
    `create index audit_records_run on audit_records (org_id, run_id, seq) where run_id is not null`,
    `create index audit_records_category on audit_records (org_id, category, seq)`,
    `create table audit_segments (
      org_id text collate "C" not null,
      to_seq bigint not null,
      from_seq bigint not null,
      at bigint not null,
      checkpoint text,
      pruned text,
      asked text not null default '',
      primary key (org_id, to_seq)
    )`,
    `create index audit_segments_age on audit_segments (org_id, at)`,
    GUARD,
    ...guarded("audit_records"),
    ...guarded("audit_segments"),
  ],
};
