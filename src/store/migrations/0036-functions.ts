import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/**
 * Adds functions to the kinds of registry entries. An attempt that runs a function is work that workers request: its
 * row contains the work, the worker that holds it, and until when.
 */
export const FUNCTIONS: Migration = {
  version: 36,
  name: "functions",
  minReader: 32,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
    `alter table open_attempts add column function text collate "C"`,
    `alter table open_attempts add column work text`,
    `alter table open_attempts add column is_once boolean`,
    `alter table open_attempts add column offered_at bigint`,
    `alter table open_attempts add column worker_id text collate "C"`,
    `alter table open_attempts add column worker_until bigint`,
    `create index open_attempts_work on open_attempts (org_id, function, offered_at) where function is not null`,
    `create table workers (
      org_id text collate "C" not null,
      worker_id text collate "C" not null,
      functions text not null,
      expires_at bigint not null,
      primary key (org_id, worker_id)
    )`,
    `create index workers_expired on workers (expires_at)`,
  ],
};
