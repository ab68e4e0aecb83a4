import { randomBytes } from "node:crypto";
import type { ReplicaStore } from "../../store/index.ts";

const TTL_MS = 10_000;
const RENEW_MS = 3_000;

/**
 * One renewed row per replica says that it lives. Judged by a monotonic clock here and by database time there, so that
 * a replica that slept stops sending before another takes its attempts over.
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

  /** `anew`: it was lost in between, and the replica continues under another name. */
  async renewIfDue(): Promise<"held" | "renewed" | "anew"> {
    const before = this.#monotonic();
    if (before < this.#nextRenewAt) return "held";
    if (await this.#store.renewReplica(this.replicaId, TTL_MS)) {
      this.#extend(before);
      return "renewed";
    }
    // Others may be taking our attempts over. Under the old name any replica may claim them, ours too: the first that does
    // sends them, and what we have begun already we know.
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
