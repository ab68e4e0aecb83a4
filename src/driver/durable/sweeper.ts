import type { Clock, Stop } from "../../clock/index.ts";
import type { Timer } from "../../core/engine/index.ts";
import type { Store } from "../../store/index.ts";
import type { Lease } from "./lease.ts";

export interface SweeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly lease: Lease;
  /** It was renewed in time, or lost and taken anew. */
  readonly onLease: (renewed: "renewed" | "anew") => void;
  /** This process has the timer in memory and will fire it itself. */
  readonly knows: (runId: string, timer: Timer) => boolean;
  readonly submit: (runId: string, timer: Timer) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const DUE_EVERY_MS = 500;
/** Whoever set a timer fires it from memory; only one that is late by this much has been forgotten. */
const LATE_MS = 400;
const TAKEOVER_EVERY_MS = 4_000;
const STALLED_EVERY_MS = 120_000;
const PAGE = 500;
const RELEASED_PAGE = 5_000;

/** The safety nets: leases, orphaned attempts and deadlines nobody remembers. Safe on any number of replicas. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #stop: Stop | null = null;
  #isStopped = false;
  #sweeping: Promise<void> = Promise.resolve();
  #nextTakeoverAt = 0;
  #nextStalledAt = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#takeOver();
    this.#nextStalledAt = this.#options.clock.now() + STALLED_EVERY_MS;
    this.#schedule();
  }

  /** Resolves when no sweep is under way any more. */
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
    const { lease, clock, onTrouble } = this.#options;
    try {
      const renewed = await lease.renewIfDue();
      if (renewed !== "held") this.#options.onLease(renewed);
      await this.#submitDue();
      if (renewed === "anew" || clock.now() >= this.#nextTakeoverAt) await this.#takeOver();
      if (clock.now() >= this.#nextStalledAt) await this.#nudgeStalled();
    } catch (error) {
      onTrouble("a sweep failed", error);
    }
    this.#schedule();
  }

  async #submitDue(): Promise<void> {
    const { store, clock, knows, submit } = this.#options;
    for (const { runId, timer, dueAt } of await store.dueTimers(PAGE)) {
      if (dueAt <= clock.now() - LATE_MS && !knows(runId, timer)) submit(runId, timer);
    }
  }

  async #takeOver(): Promise<void> {
    const { store, lease, clock, submit } = this.#options;
    this.#nextTakeoverAt = clock.now() + TAKEOVER_EVERY_MS;
    while ((await store.releaseWaiting(RELEASED_PAGE)) === RELEASED_PAGE);
    for (;;) {
      const orphans = await store.takeOver(lease.replicaId, PAGE);
      for (const { runId, nodeId, attempt } of orphans) submit(runId, { kind: "lost", nodeId, attempt });
      if (orphans.length < PAGE) return;
    }
  }

  /** Runs that wait for nothing: whatever the engine is told, it looks for what is left to do, or ends the run. */
  async #nudgeStalled(): Promise<void> {
    const { store, clock, submit } = this.#options;
    this.#nextStalledAt = clock.now() + STALLED_EVERY_MS;
    for (const runId of await store.listStalled(PAGE)) submit(runId, NUDGE);
  }
}

/** A deadline of no epoch at all: it fits no state, and so means nothing but "look again". */
const NUDGE: Timer = { kind: "run", epoch: -1 };
