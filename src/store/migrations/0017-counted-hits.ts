import type { Migration } from "./migration.ts";

/**
 * Number of dispatches at each moment of an agent's window; null means one each, as before. An older program would
 * count a thousand dispatches as one and exceed the limit, so it must not continue.
 */
export const COUNTED_HITS: Migration = {
  version: 17,
  name: "counted hits",
  minReader: 17,
  statements: [`alter table agent_counters add column hit_counts int[]`],
};
