import type { GovernanceStore } from "../store/index.ts";

/** Days that usage records are kept. */
export const USAGE_DAYS = 90;

const DAY_MS = 86_400_000;
/** Records deleted in one statement. The limit lets other statements run in between. */
const BATCH = 5_000;
/** Maximum number of statements. The rest is deleted in the next pruning. */
const ROUNDS_MAX = 200;

/** Deletes usage records after their retention and returns how many. Safe on any number of replicas. */
export async function pruneUsage(store: Pick<GovernanceStore, "pruneUsage">, now: number): Promise<number> {
  let count = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const gone = await store.pruneUsage(now - USAGE_DAYS * DAY_MS, BATCH);
    count += gone;
    if (gone < BATCH) break;
  }
  return count;
}
