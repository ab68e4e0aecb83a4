import { replay } from "../../core/engine/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { LoadedRun, OpenAttempt, RunStore } from "../../store/index.ts";
import { waitingNodesOf } from "./derive-events.ts";
import { HeldTimers } from "./held-timers.ts";
import type { DrivenRun } from "./driven-run.ts";
import { contentOf, sizeOfRun } from "./live-size.ts";
import type { PlanCache } from "./plan-cache.ts";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;

/** Recently used runs by id, evicted in least-recently-used order. A missing run is rebuilt from its log. */
export class RunCache {
  readonly #store: Pick<RunStore, "loadRuns" | "headsOf">;
  readonly #plans: PlanCache;
  readonly #live = new Map<string, { readonly run: DrivenRun; bytes: number }>();
  #bytes = 0;
  /** Called for each open attempt of a run loaded from the database. */
  onLoaded: (live: DrivenRun, attempt: OpenAttempt) => void = () => undefined;

  constructor(store: Pick<RunStore, "loadRuns" | "headsOf">, plans: PlanCache) {
    this.#store = store;
    this.#plans = plans;
  }

  get size(): number {
    return this.#live.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the run if it is in memory. */
  peek(runId: string): DrivenRun | undefined {
    return this.#live.get(runId)?.run;
  }

  /**
   * Returns runs from memory or the database; runs that do not exist are missing from the map. A run whose log cannot
   * be folded is reported to `onUnreadable`, and the other runs are still loaded.
   */
  async getAll(
    runIds: readonly string[],
    onUnreadable: (runId: string, error: unknown) => void,
  ): Promise<ReadonlyMap<string, DrivenRun>> {
    const found = new Map<string, DrivenRun>();
    const missing: string[] = [];
    for (const runId of runIds) {
      const entry = this.#live.get(runId);
      if (entry === undefined) missing.push(runId);
      else found.set(runId, entry.run);
    }
    if (missing.length === 0) return found;
    for (const loaded of await this.#store.loadRuns(missing)) {
      const { run, openAttempts } = loaded;
      const plan = await this.#plans.ofRun(run);
      if (plan === undefined) continue;
      try {
        found.set(run.runId, rebuilt(loaded, plan));
      } catch (error) {
        onUnreadable(run.runId, error);
      }
      const live = found.get(run.runId);
      if (live !== undefined) for (const attempt of openAttempts) this.onLoaded(live, attempt);
    }
    return found;
  }

  /** Called after a commit. Keeps the run in memory. */
  keep(live: DrivenRun): void {
    const { runId } = live.state;
    this.drop(runId);
    const bytes = sizeOfRun(live);
    this.#live.set(runId, { run: live, bytes });
    this.#bytes += bytes;
    while (this.#bytes > CACHE_BYTES_MAX && this.#live.size > 1) {
      const oldest = this.#live.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
  }

  /** Returns the stored version of the run. Drops the run from memory when another replica has committed a newer version. */
  async dropIfStale(runId: string): Promise<number> {
    const [head] = await this.#store.headsOf([runId]);
    const entry = this.#live.get(runId);
    if (head !== undefined && entry !== undefined && entry.run.run.rowVersion < head.rowVersion) this.drop(runId);
    return head?.rowVersion ?? 0;
  }

  drop(runId: string): void {
    const entry = this.#live.get(runId);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#live.delete(runId);
  }
}

function rebuilt({ run, events, openAttempts, timers }: LoadedRun, plan: Plan): DrivenRun {
  const state = replay(plan, run.runId, events);
  return {
    run,
    state,
    hasBegun: state.nodes.some(({ attempts, now }) => attempts > 0 || now.status === "completed"),
    openAttempts: new Map(openAttempts.map(({ nodeId, replicaId: _holder, ...open }) => [nodeId, open])),
    timers: new HeldTimers(timers),
    waiters: waitingNodesOf({ state }),
    contentBytes: contentOf(events),
    lastAt: events.at(-1)?.at ?? run.createdAt,
    creating: null,
  };
}
