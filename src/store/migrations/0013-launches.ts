import type { Migration } from "./migration.ts";

/**
 * Approvals of runs that do not exist yet. For one launch there is at most one at a time, and the run it starts uses it
 * up. The approval itself is stored with the others, without a run.
 */
export const LAUNCHES: Migration = {
  version: 13,
  name: "launches",
  minReader: 13,
  statements: [
    `create table launch_approvals (
      org_id text collate "C" not null,
      digest text collate "C" not null,
      approval_id text collate "C" not null,
      expires_at bigint not null,
      primary key (org_id, digest)
    )`,
    `create index launch_approvals_approval on launch_approvals (approval_id)`,
    `create index launch_approvals_expiry on launch_approvals (expires_at)`,
  ],
};
