import type { FindingStore } from "../finding-store.ts";
import type { Sql } from "../sql.ts";
import { readUnfound, writeDocuments } from "./word-rows.ts";

export function sqlFinding(sql: Sql): FindingStore {
  return {
    indexRuns: (limit) =>
      sql.transaction(async (within) => {
        const { taken, runs } = await readUnfound(within, limit);
        await writeDocuments(within, runs);
        return taken;
      }),
  };
}
