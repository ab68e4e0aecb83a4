import type { Migration } from "./migration.ts";

/** The span of the caller that started a run within its own trace. The run's spans become children of it. */
export const PARENT_SPANS: Migration = {
  version: 15,
  name: "parent spans",
  minReader: 13,
  statements: [`alter table runs add column parent_span_id text`],
};
