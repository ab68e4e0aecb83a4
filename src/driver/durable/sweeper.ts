import type { Clock, Stop } from "../../clock/index.ts";
import type { Store } from "../../store/index.ts";
import type { Attempts } from "./attempts.ts";
import type { Deadlines } from "./deadlines.ts";
import type { DueTimers } from "./due-timers.ts";
import type { EventMatcher } from "./event-matcher.ts";
import type { Lease } from "./lease.ts";
import { NUDGE } from "./run-continuer.ts";

export interface SweeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly attempts: Pick<Attempts, "leaseRenewed" | "leaseLost">;
  readonly deadlines: Pick<Deadlines, "has">;
  readonly dueTimers: Pick<DueTimers, "found" | "workLost">;
  readonly matcher: Pick<EventMatcher, "round">;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const DUE_EVERY_MS = 500;
/** The replica that set a timer fires it from memory. Only a timer that is later than this has no replica to fire it. */
const LATE_MS = 400;
const TAKEOVER_EVERY_MS = 4_000;
const MATCH_EVERY_MS = 5_000;
const LOST_WORK_EVERY_MS = 2_000;
const STALLED_EVERY_MS = 120_000;
const PAGE = 500;
const RELEASED_PAGE = 5_000;

/** Safety nets for leases, orphaned attempts, and deadlines that no replica has in memory. Safe on any number of replicas. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #stop: Stop | null = null;
  #isStopped = false;
  #sweeping: Promise<void> = Promise.resolve();
  #nextTakeoverAt = 0;
  #nextStalledAt = 0;
  #nextMatchAt = 0;
  #nextLostWorkAt = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#takeOver();
    this.#nextStalledAt = this.#options.clock.now() + STALLED_EVERY_MS;
    this.#schedule();
  }

  /** Resolves when no sweep is running any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop?.();
    await this.#sweeping;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.clock.after(DUE_EVERY_MS, () => {
      this.#sweeping = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { lease, attempts, clock, onTrouble } = this.#options;
    try {
      const renewed = await lease.renewIfDue();
      if (renewed === "renewed") attempts.leaseRenewed();
      if (renewed === "anew") attempts.leaseLost();
      await this.#submitDue();
      if (renewed === "anew" || clock.now() >= this.#nextTakeoverAt) await this.#takeOver();
      if (clock.now() >= this.#nextMatchAt) await this.#match();
      if (clock.now() >= this.#nextLostWorkAt) await this.#findLostWork();
      if (clock.now() >= this.#nextStalledAt) await this.#nudgeStalled();
    } catch (error) {
      onTrouble("a sweep failed", error);
    }
    this.#schedule();
  }

  async #submitDue(): Promise<void> {
    const { store, clock, deadlines, dueTimers } = this.#options;
    for (const { runId, timer, dueAt } of await store.dueTimers(PAGE)) {
      // Timers in the memory of this process fire from there.
      if (dueAt <= clock.now() - LATE_MS && !deadlines.has(runId, timer)) dueTimers.found(runId, timer);
    }
  }

  async #takeOver(): Promise<void> {
    const { store, lease, clock, dueTimers } = this.#options;
    this.#nextTakeoverAt = clock.now() + TAKEOVER_EVERY_MS;
    while ((await store.releaseWaiting(RELEASED_PAGE)) === RELEASED_PAGE);
    for (;;) {
      const orphans = await store.takeOver(lease.replicaId, PAGE);
      for (const { runId, nodeId, attempt } of orphans) dueTimers.found(runId, { kind: "lost", nodeId, attempt });
      if (orphans.length < PAGE) return;
    }
  }

  async #match(): Promise<void> {
    this.#nextMatchAt = this.#options.clock.now() + MATCH_EVERY_MS;
    await this.#options.matcher.round();
  }

  async #findLostWork(): Promise<void> {
    const { store, clock, dueTimers } = this.#options;
    this.#nextLostWorkAt = clock.now() + LOST_WORK_EVERY_MS;
    for (const { runId, ...key } of await store.lostWork(PAGE)) dueTimers.workLost(runId, key);
  }

  /** Finds runs that wait for nothing. Any input makes the engine continue such a run or end it. */
  async #nudgeStalled(): Promise<void> {
    const { store, clock, dueTimers } = this.#options;
    this.#nextStalledAt = clock.now() + STALLED_EVERY_MS;
    for (const runId of await store.listStalled(PAGE)) dueTimers.found(runId, NUDGE);
  }
}
