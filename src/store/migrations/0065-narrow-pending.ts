import type { Migration } from "./migration.ts";

/**
 * One index of the audit entries that wait to be sealed, in the order in which they are sealed, instead of one by id and one
 * by order. Every commit of a run writes an entry to each index, and its row is deleted a second later.
 */
export const NARROW_PENDING: Migration = {
  version: 65,
  name: "one index of waiting audit",
  minReader: 49,
  statements: [
    "alter table audit_pending drop constraint audit_pending_pkey",
    "alter table audit_pending add primary key (org_id, at, id)",
    "drop index if exists audit_pending_oldest",
  ],
};
