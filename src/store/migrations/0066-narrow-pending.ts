import type { Migration } from "./migration.ts";

/**
 * One index of the audit entries that wait to be sealed, in the order in which they are sealed, instead of one by id and one
 * by order. Every commit of a run writes an entry to each index, and its row is deleted a second later. From here on entries
 * wait in packed form, which an older program cannot seal.
 */
export const NARROW_PENDING: Migration = {
  version: 66,
  name: "one index of waiting audit",
  minReader: 66,
  statements: [
    "alter table audit_pending drop constraint audit_pending_pkey",
    "alter table audit_pending add primary key (org_id, at, id)",
    "drop index if exists audit_pending_oldest",
  ],
};
