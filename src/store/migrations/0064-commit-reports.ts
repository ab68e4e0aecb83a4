import type { Migration } from "./migration.ts";

/**
 * Count of reports that a replica has committed. A replica whose own reports account for all of them need not read which
 * runs other replicas have changed. A sequence, because nothing depends on its transactions.
 */
export const COMMIT_REPORTS: Migration = {
  version: 64,
  name: "reports of commits",
  minReader: 49,
  statements: [
    "create sequence commit_reports cache 1",
    // Reading a sequence gives the same number before its first value and at it.
    "select nextval('commit_reports')",
  ],
};
