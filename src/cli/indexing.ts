import { type Clock, LeasedRounds } from "../clock/index.ts";
import type { Store } from "../store/index.ts";
import { closeEach } from "./closing.ts";

/** Interval of the search index, which follows commits within seconds. */
const INDEX_EVERY_MS = 2_000;
const INDEX_BATCH = 100;

/** Updates the search index and the usage totals from committed data, in the background so that commits do not wait for it. */
export function startIndexing(
  store: Store,
  clock: Clock,
  onTrouble: (what: string, error: unknown) => void,
): { stop(): Promise<void> } {
  const common = { leases: store, clock, onTrouble };
  const index = new LeasedRounds({
    ...common,
    lease: "search",
    what: "what runs are found by",
    everyMs: INDEX_EVERY_MS,
    round: async () => {
      for (let read = INDEX_BATCH; read === INDEX_BATCH;) read = await store.indexRuns(INDEX_BATCH);
    },
  });
  const sums = new LeasedRounds({
    ...common,
    lease: "usage",
    what: "usage that is added up",
    round: async () => {
      for (let isMore = true; isMore;) isMore = await store.rollUsage();
    },
  });
  index.start();
  sums.start();
  return { stop: () => closeEach([() => index.stop(), () => sums.stop()]) };
}
