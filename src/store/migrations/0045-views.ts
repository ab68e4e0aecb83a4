import type { Migration } from "./migration.ts";

/** Saved lists of runs. */
export const VIEWS: Migration = {
  version: 45,
  name: "views",
  minReader: 44,
  statements: [
    `create table saved_views (
      org_id text collate "C" not null,
      id text collate "C" not null,
      owner text collate "C" not null,
      name text not null,
      is_shared boolean not null,
      query text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id)
    )`,
  ],
};
