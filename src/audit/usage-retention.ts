import type { GovernanceStore } from "../store/index.ts";

/** Days that usage is kept. */
export const USAGE_DAYS = 90;

const DAY_MS = 86_400_000;
/** Records that go in one statement: others have their turn in between. */
const BATCH = 5_000;
/** Statements after which the rest is left for the next time. */
const ROUNDS_MAX = 200;

/** Deletes usage records after their time, on any number of replicas; returns how many. */
export async function pruneUsage(store: Pick<GovernanceStore, "pruneUsage">, now: number): Promise<number> {
  let count = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const gone = await store.pruneUsage(now - USAGE_DAYS * DAY_MS, BATCH);
    count += gone;
    if (gone < BATCH) break;
  }
  return count;
}
