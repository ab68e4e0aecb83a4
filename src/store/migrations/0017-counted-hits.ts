import type { Migration } from "./migration.ts";

/**
 * How many dispatches stand at each moment of an agent's window; null: one at each, as before. A program that does not
 * know the column would take a thousand for one and pass the limit, so that it may not continue.
 */
export const COUNTED_HITS: Migration = {
  version: 17,
  name: "counted hits",
  minReader: 17,
  statements: [`alter table agent_counters add column hit_counts int[]`],
};
