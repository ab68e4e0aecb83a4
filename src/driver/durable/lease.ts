import { randomBytes } from "node:crypto";
import type { ReplicaStore } from "../../store/index.ts";

const TTL_MS = 10_000;
const RENEW_MS = 3_000;

/**
 * The lease of a replica: one row that it renews while it is alive. The replica judges the lease by its monotonic
 * clock, other replicas by database time. A replica that slept therefore stops sending before another replica takes
 * over its attempts.
 */
export class Lease {
  #replicaId: string;
  readonly #store: ReplicaStore;
  readonly #monotonic: () => number;
  #heldUntil = 0;
  #nextRenewAt = 0;

  constructor(store: ReplicaStore, monotonic: () => number, replicaId = newReplicaId()) {
    this.#replicaId = replicaId;
    this.#store = store;
    this.#monotonic = monotonic;
  }

  get replicaId(): string {
    return this.#replicaId;
  }

  get isHeld(): boolean {
    return this.#monotonic() < this.#heldUntil;
  }

  async register(supersedesAll: boolean): Promise<void> {
    const before = this.#monotonic();
    await this.#store.registerReplica(this.replicaId, TTL_MS, supersedesAll);
    this.#extend(before);
  }

  /** Renews the lease when it is due. "anew": the lease was lost in between, and the replica continues under a new id. */
  async renewIfDue(): Promise<"held" | "renewed" | "anew"> {
    const before = this.#monotonic();
    if (before < this.#nextRenewAt) return "held";
    if (await this.#store.renewReplica(this.replicaId, TTL_MS)) {
      this.#extend(before);
      return "renewed";
    }
    // Other replicas may be taking over attempts of the old id. Any replica may claim these, this one included; the
    // first to claim one sends it. This process still knows which attempts it has already begun.
    this.#replicaId = newReplicaId();
    await this.register(false);
    return "anew";
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

export function newReplicaId(): string {
  return `rep_${randomBytes(8).toString("hex")}`;
}
