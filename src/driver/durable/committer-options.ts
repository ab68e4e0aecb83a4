import type { Effect, Timer } from "../../core/engine/index.ts";
import type { RunEvent } from "../../core/event/index.ts";
import type { Judge } from "../../governance/index.ts";
import type { RunStore } from "../../store/index.ts";
import type { LiveRun } from "./live-run.ts";
import type { Moderating } from "./moderator.ts";
import type { RunCache } from "./run-cache.ts";
import type { RunQueue } from "./run-queue.ts";
import type { StoreHealth } from "./store-health.ts";

export interface CommitterOptions {
  readonly store: Pick<RunStore, "commit">;
  readonly cache: RunCache;
  readonly queue: RunQueue;
  readonly judge: Judge;
  readonly moderating: Pick<Moderating, "before">;
  /** Another one after a lease was lost. */
  readonly replicaId: () => string;
  readonly now: () => number;
  readonly jitter: () => number;
  readonly health: Pick<StoreHealth, "untilAvailable">;
  /** After the commit, for each run that changed; `gone` are timers it has no more. */
  readonly onCommitted: (committed: Committed, gone: readonly Timer[]) => void;
  readonly onParked: (runId: string, error: unknown) => void;
  /** What was committed could not be followed up: the run is to be looked at anew. */
  readonly onUnfinished: (runId: string, error: unknown) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Puts inputs back that could not be decided now, after a while. */
  readonly later: (putBack: () => void) => void;
}

export interface Committed {
  readonly live: LiveRun;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
}
