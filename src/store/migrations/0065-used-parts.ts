import type { Migration } from "./migration.ts";

/** Each shared part of verdicts has the time of a verdict that used it, so that parts without verdicts can be deleted. */
export const USED_PARTS: Migration = {
  version: 65,
  name: "time of use of verdict parts",
  minReader: 49,
  statements: [
    // An older replica that still runs inserts parts without the time.
    `alter table verdict_parts add column used_at bigint not null default (extract(epoch from now()) * 1000)::bigint`,
  ],
};
