import type { Runtime } from "../driver/index.ts";
import type { Store } from "../store/index.ts";
import { CommitReports } from "./commit-reports.ts";
import type { ApiConfig } from "./config.ts";
import { OrgFeed } from "./org-feed.ts";
import { RunEnds } from "./run-ends.ts";
import { StreamRegistry } from "./stream-registry.ts";
import { Tail } from "./tail.ts";

/** Heads of all runs are polled less often than those of runs with a stream, by this factor. */
const LIVE_TAILS = 4;

/** Opens what follows the commits of this process and of other replicas for callers outside. */
export function openStreams(store: Store, runtime: Runtime, config: ApiConfig) {
  const { now, tailMs, onTrouble } = config;
  const around = { store, runtime, onTrouble };
  const tail = new Tail({ ...around, everyMs: tailMs });
  const reports = new CommitReports(around);
  const live = new OrgFeed({ ...around, reports, now, everyMs: tailMs * LIVE_TAILS });
  const ends = new RunEnds({ ...around, everyMs: tailMs });
  return { tail, reports, ends, streams: new StreamRegistry(store, tail, live, config) };
}
