import type { SearchStore } from "../search-store.ts";
import type { Sql } from "../sql.ts";
import { joinLogs } from "./joined-logs.ts";
import { addToTrends, readTrends } from "./trend-rows.ts";
import { rollUsage } from "./usage-sums.ts";
import { readUnindexed, writeDocuments } from "./word-rows.ts";

export function sqlSearch(sql: Sql): SearchStore {
  return {
    indexRuns: (limit) =>
      sql.transaction(async (within) => {
        const { taken, runs } = await readUnindexed(within, limit);
        await writeDocuments(within, runs);
        await addToTrends(within, runs);
        await joinLogs(
          within,
          runs.flatMap(({ run }) => (run.endedAt === null ? [] : [run.runId])),
        );
        return taken;
      }),
    trends: (orgId, selection) => readTrends(sql, orgId, selection),
    rollUsage: () => rollUsage(sql),
  };
}
