import type { TurnSeal } from "./turn-seal.ts";
import type { Clock } from "../../clock/index.ts";
import type { Effect } from "../../core/engine/index.ts";
import type { Judge } from "../../governance/index.ts";
import type { RunStore } from "../../store/index.ts";
import type { AfterCommit } from "./after-commit.ts";
import type { CommitFacts } from "./commit-facts.ts";
import type { Lease } from "./lease.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Moderator } from "./moderator.ts";
import type { Places } from "./places.ts";
import type { RunCache } from "./run-cache.ts";
import type { InputQueue, Waiting } from "./input-queue.ts";
import type { StoreHealth } from "./store-health.ts";

export interface CommitterOptions {
  readonly store: Pick<RunStore, "commit">;
  readonly cache: RunCache;
  readonly queue: InputQueue;
  readonly judge: Judge;
  readonly moderator: Pick<Moderator, "before">;
  readonly lease: Pick<Lease, "replicaId">;
  readonly clock: Clock;
  readonly jitter: () => number;
  readonly seal: TurnSeal;
  readonly health: Pick<StoreHealth, "untilAvailable">;
  readonly after: Pick<AfterCommit, "committed">;
  readonly places: Pick<Places, "find" | "committed">;
  /** Takes the inputs of a run that is not in this cell. Returns false when the run exists in no cell. */
  readonly onGone: ((runId: string, waiting: readonly Waiting[]) => boolean) | undefined;
  readonly onParked: (runId: string, error: unknown) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface Committed {
  readonly live: DrivenRun;
  readonly facts: CommitFacts;
  readonly effects: readonly Effect[];
}
