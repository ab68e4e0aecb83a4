import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/**
 * Data needed to delete a run completely: which runs refer to a large value, which run a message is about, and indexes
 * by run where rows were found only in other ways. Ended runs can already be found by the time of their end.
 */
export const HISTORY: Migration = {
  version: 39,
  name: "history",
  // An older replica would write large values without references, and they would be deleted together with another run.
  minReader: 39,
  statements: [
    `create table blob_references (
      org_id text collate "C" not null,
      hash text collate "C" not null,
      run_id text collate "C" not null,
      primary key (org_id, hash, run_id)
    )`,
    `insert into blob_references (org_id, hash, run_id)
      select distinct b.org_id, found.hash[1], b.run_id from event_blocks b
      cross join lateral regexp_matches(b.body, '"hash":"(sha256:[0-9a-f]{64})"', 'g') as found (hash)
      join blobs on blobs.org_id = b.org_id and blobs.hash = found.hash[1]
      where b.body like '%"refs":[%'`,
    `create index blob_references_run on blob_references (run_id)`,
    `alter table webhook_deliveries add column run_id text collate "C"`,
    `update webhook_deliveries set run_id = substring(body from '"runId":"(run_[^"\\\\]+)"')`,
    `create index webhook_deliveries_run on webhook_deliveries (run_id) where run_id is not null`,
    `create index runs_source on runs (source_run_id) where source_run_id is not null`,
    `create index approvals_run on approvals (run_id)`,
    `create index agent_memories_run on agent_memories (run_id)`,
    `create index idempotency_keys_run on idempotency_keys (run_id)`,
    `create index approval_tickets_approval on approval_tickets (approval_id)`,
    `create index channel_postings_approval on channel_postings (approval_id)`,
    `create index attempt_reports_age on attempt_reports (org_id, at)`,
    `create table run_imports (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      at bigint not null
    )`,
    `create table run_archives (
      org_id text collate "C" not null,
      run_id text collate "C" not null,
      workflow text collate "C" not null,
      place text not null,
      name text not null,
      size bigint not null,
      sha256 text collate "C" not null,
      archived_at bigint not null,
      primary key (org_id, run_id)
    )`,
    `create table run_erasures (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      at bigint not null,
      by text not null,
      sha256 text collate "C" not null
    )`,
    `create table audit_salts (
      org_id text collate "C" not null,
      subject text collate "C" not null,
      salt text not null,
      primary key (org_id, subject)
    )`,
    `create table audit_texts (
      org_id text collate "C" not null,
      seq bigint not null,
      subject text collate "C" not null,
      text text not null,
      primary key (org_id, seq)
    )`,
    `create index audit_texts_subject on audit_texts (org_id, subject)`,
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
  ],
};
