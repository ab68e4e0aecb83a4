import type { ReplicaStore } from "../../store/index.ts";

const TTL_MS = 10_000;
const RENEW_MS = 3_000;

/**
 * One renewed row per replica says that it lives. Judged by a monotonic clock here and by database time there, so that
 * a replica that slept stops sending before another takes its attempts over.
 */
export class Lease {
  readonly replicaId: string;
  readonly #store: ReplicaStore;
  readonly #monotonic: () => number;
  #heldUntil = 0;
  #nextRenewAt = 0;

  constructor(replicaId: string, store: ReplicaStore, monotonic: () => number) {
    this.replicaId = replicaId;
    this.#store = store;
    this.#monotonic = monotonic;
  }

  get isHeld(): boolean {
    return this.#monotonic() < this.#heldUntil;
  }

  async register(supersedesAll: boolean): Promise<void> {
    const before = this.#monotonic();
    await this.#store.registerReplica(this.replicaId, TTL_MS, supersedesAll);
    this.#extend(before);
  }

  async renewIfDue(): Promise<void> {
    const before = this.#monotonic();
    if (before < this.#nextRenewAt) return;
    const isAlive = await this.#store.renewReplica(this.replicaId, TTL_MS);
    if (isAlive) this.#extend(before);
    // Others may have taken our attempts over; what we still hold is fenced by the run's version and its attempt number.
    else await this.register(false);
  }

  async retire(): Promise<void> {
    this.#heldUntil = 0;
    await this.#store.retireReplica(this.replicaId);
  }

  #extend(since: number): void {
    this.#heldUntil = since + TTL_MS;
    this.#nextRenewAt = since + RENEW_MS;
  }
}
