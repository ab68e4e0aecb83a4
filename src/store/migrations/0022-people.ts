import type { Migration } from "./migration.ts";

/**
 * Persons, their memberships, invitations, and browser sessions. An older program neither writes nor reads these
 * tables: it treats a session as an unknown key, so people sign in again.
 */
export const PEOPLE: Migration = {
  version: 22,
  name: "people",
  minReader: 18,
  statements: [
    `create table persons (
      id text collate "C" primary key,
      issuer text collate "C" not null,
      subject text collate "C" not null,
      email text,
      name text not null,
      is_disabled boolean not null,
      created_at bigint not null,
      unique (issuer, subject)
    )`,
    `create index persons_subject on persons (subject)`,
    `alter table organisations add column name text`,
    `create table memberships (
      org_id text collate "C" not null,
      person_id text collate "C" not null,
      claimed_roles text not null,
      claimed_groups text not null,
      assigned_roles text not null,
      assigned_groups text not null,
      deputy_id text collate "C",
      deputy_from bigint,
      deputy_until bigint,
      joined_at bigint not null,
      primary key (org_id, person_id)
    )`,
    `create index memberships_person on memberships (person_id)`,
    `create index memberships_deputy on memberships (org_id, deputy_id) where deputy_id is not null`,
    `create table invitations (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      email text not null,
      roles text not null,
      groups text not null,
      hash text collate "C" not null unique,
      created_by text not null,
      created_at bigint not null,
      expires_at bigint not null,
      accepted_by text collate "C",
      accepted_at bigint,
      revoked_at bigint
    )`,
    `create index invitations_newest on invitations (org_id, created_at desc, id desc)`,
    `create table sessions (
      id text collate "C" primary key,
      hash text collate "C" not null unique,
      person_id text collate "C",
      key_id text collate "C",
      org_id text collate "C",
      user_agent text not null,
      ip text not null,
      created_at bigint not null,
      last_seen_at bigint not null,
      expires_at bigint not null,
      revoked_at bigint,
      check ((person_id is null) <> (key_id is null))
    )`,
    `create index sessions_person on sessions (person_id) where person_id is not null`,
    `create index sessions_key on sessions (key_id) where key_id is not null`,
    `create index sessions_expiry on sessions (expires_at)`,
    // The program checks the types. A new check over all records would block every other statement while it runs.
    `alter table audit_records drop constraint audit_records_type_check`,
    `alter table keys add column person_id text collate "C"`,
    `create index keys_person on keys (org_id, person_id) where person_id is not null`,
  ],
};
