import { WORKFLOW_STATUSES } from "../../core/event/index.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Organisations, their registered content, and their credentials. */
export const REGISTRY: Migration = {
  version: 3,
  name: "registry",
  minReader: 3,
  statements: [
    `create table organisations (
      org_id text collate "C" primary key,
      created_at bigint not null
    )`,
    `create table definitions (
      org_id text collate "C" not null,
      hash text collate "C" not null,
      source text not null,
      catalog text,
      primary key (org_id, hash)
    )`,
    `create table workflows (
      org_id text collate "C" not null,
      name text collate "C" not null,
      status text not null ${oneOf("status", WORKFLOW_STATUSES)},
      latest_version int not null,
      primary key (org_id, name)
    )`,
    `create table workflow_versions (
      org_id text collate "C" not null,
      name text collate "C" not null,
      version int not null,
      hash text collate "C" not null,
      format text not null ${oneOf("format", ["lobsterx", "lens-graph/v1"])},
      saved_at bigint not null,
      saved_by text,
      primary key (org_id, name, version)
    )`,
    `create table keys (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      hash text collate "C" not null unique,
      label text not null,
      permissions text not null,
      agent_id text,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint
    )`,
    `create index keys_newest on keys (org_id, created_at desc, id desc)`,
  ],
};
