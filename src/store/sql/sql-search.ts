import type { SearchStore } from "../search-store.ts";
import type { Sql } from "../sql.ts";
import { readUnindexed, writeDocuments } from "./word-rows.ts";

export function sqlSearch(sql: Sql): SearchStore {
  return {
    indexRuns: (limit) =>
      sql.transaction(async (within) => {
        const { taken, runs } = await readUnindexed(within, limit);
        await writeDocuments(within, runs);
        return taken;
      }),
  };
}
