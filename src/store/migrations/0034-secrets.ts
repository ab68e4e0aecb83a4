import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/** Adds secrets to the kinds of registry entries, and a table with the time each was last used. */
export const SECRETS: Migration = {
  version: 34,
  name: "secrets",
  minReader: 32,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
    `create table secret_uses (
      org_id text collate "C" not null,
      name text collate "C" not null,
      used_at bigint not null,
      primary key (org_id, name)
    )`,
  ],
};
