import type { Migration } from "./migration.ts";

/** The span of the caller that started a run within its own trace, so that the run stands under it. */
export const PARENT_SPANS: Migration = {
  version: 15,
  name: "parent spans",
  minReader: 13,
  statements: [`alter table runs add column parent_span_id text`],
};
