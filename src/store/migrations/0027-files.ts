import type { Migration } from "./migration.ts";

/**
 * Files by the hash of their content, the runs that refer to them, open uploads, and places whose content can be
 * deleted. The content itself is not in the database.
 */
export const FILES: Migration = {
  version: 27,
  name: "files",
  // An older replica would write runs without their references.
  minReader: 27,
  statements: [
    `create table files (
      org_id text collate "C" not null,
      sha256 text collate "C" not null,
      size bigint not null,
      name text not null,
      mime text not null,
      place text collate "C" not null,
      parts text not null,
      created_at bigint not null,
      claimed_at bigint not null,
      primary key (org_id, sha256)
    )`,
    `create index files_newest on files (org_id, created_at, sha256)`,
    `create index files_claimed on files (claimed_at)`,
    `create table file_references (
      org_id text collate "C" not null,
      sha256 text collate "C" not null,
      run_id text collate "C" not null,
      name text collate "C" not null,
      mime text not null,
      size bigint not null,
      primary key (org_id, sha256, run_id, name)
    )`,
    `create index file_references_run on file_references (run_id)`,
    `create table file_uploads (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      name text not null,
      mime text not null,
      size bigint not null,
      sha256 text collate "C",
      place text collate "C" not null,
      created_by text collate "C" not null,
      created_at bigint not null,
      completed text collate "C"
    )`,
    `create index file_uploads_content on file_uploads (org_id, sha256) where completed is null`,
    `create index file_uploads_age on file_uploads (created_at)`,
    `create table file_upload_parts (
      org_id text collate "C" not null,
      upload_id text collate "C" not null,
      part int not null,
      size bigint not null,
      sha256 text collate "C" not null,
      object text collate "C" not null,
      primary key (upload_id, part)
    )`,
    `create table file_garbage (
      place text collate "C" primary key,
      org_id text collate "C" not null,
      at bigint not null
    )`,
  ],
};
