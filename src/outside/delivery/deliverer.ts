import type { Clock } from "../../clock/index.ts";
import { ENGINE_ACTOR } from "../../core/audit/index.ts";
import { changeAudit, entryKindOf } from "../../registry/index.ts";
import type { ClaimedDelivery, DeliveryStore, RegistryStore, Settlement, TargetKey } from "../../store/index.ts";
import type { Audiences } from "./audience.ts";
import type { Sent } from "./sent.ts";
import type { Target, TargetKind } from "./target.ts";

export interface DelivererOptions {
  readonly store: DeliveryStore & Pick<RegistryStore, "getEntry" | "applyEntries">;
  readonly audiences: Audiences;
  readonly kinds: readonly TargetKind[];
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called when a delivery was settled, so that there is room for another. */
  readonly onSettled: () => void;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after each failed try. After the last one no further try is made. */
export const DELIVERY_RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

/** Longer than one try can take, so that no other replica begins a second try meanwhile. */
const LEASE_MS = MINUTE_MS;
const IN_FLIGHT_MAX = 32;
/** Limit per target, so that a slow receiver does not use up the capacity for the others. */
const PER_TARGET_MAX = 4;
const CLAIMED_AT_ONCE = 4;
/** Maximum number of deliveries that are combined into one message. */
const GROUP_MAX = 50;
const ERROR_LENGTH_MAX = 500;

/** Sends the deliveries that are due. Any number of replicas may run it: each delivery is claimed by one replica at a time. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #inFlight = new Map<Promise<void>, TargetKey>();
  readonly #stop = new AbortController();

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** Claims as many deliveries as there is room for. Resolves before they have been sent. */
  async round(): Promise<void> {
    const { store, audiences } = this.#options;
    if (audiences.isEmpty) return;
    while (this.#inFlight.size < IN_FLIGHT_MAX && !this.#stop.signal.aborted) {
      const claimed = await store.claimDeliveries(CLAIMED_AT_ONCE, LEASE_MS, this.#busy());
      // Claimed in full before the next claim, which would otherwise take members of the group for a message of their own.
      for (const group of inGroups(claimed)) this.#begin(await this.#whole(group));
      if (claimed.length < CLAIMED_AT_ONCE) return;
    }
  }

  /** Resolves when no claimed delivery is open. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.keys());
  }

  /** Aborts the deliveries that are being sent; another replica sends them later. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  async #whole(group: DeliveryGroup): Promise<DeliveryGroup> {
    const [first] = group;
    if (first.groupKey === null) return group;
    return [...group, ...(await this.#options.store.claimGroup(first, GROUP_MAX - group.length, LEASE_MS))];
  }

  #busy(): readonly TargetKey[] {
    const counts = new Map<string, { readonly key: TargetKey; readonly count: number }>();
    for (const key of this.#inFlight.values()) {
      const name = JSON.stringify([key.orgId, key.targetId]);
      counts.set(name, { key, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    return [...counts.values()].filter(({ count }) => count >= PER_TARGET_MAX).map(({ key }) => key);
  }

  #begin(group: DeliveryGroup): void {
    const { onTrouble, onSettled } = this.#options;
    const [{ orgId, targetId, id }] = group;
    const work: Promise<void> = this.#deliver(group)
      .catch((error: unknown) => onTrouble(`the delivery ${id} could not be settled`, error))
      .finally(() => {
        this.#inFlight.delete(work);
        onSettled();
      });
    this.#inFlight.set(work, { orgId, targetId });
  }

  async #deliver(group: DeliveryGroup): Promise<void> {
    const { store } = this.#options;
    const [first] = group;
    const target = await this.#targetOf(first);
    if (target === undefined) {
      return this.#settle(group, { kind: "refused", error: "It was disabled or deleted." });
    }
    const pause = await target.pause(first);
    if (pause !== null) {
      const { delayMs, reason } = pause;
      for (const { id, claim } of group) await store.postponeDelivery(id, claim, delayMs, reason);
      return;
    }
    const sent = await target.send(group, this.#stop.signal);
    if (sent.kind === "gone") await this.#disable(first);
    await this.#settle(group, sent);
  }

  async #settle(deliveries: readonly ClaimedDelivery[], sent: Sent): Promise<void> {
    const { store } = this.#options;
    for (const { id, claim, attempts } of deliveries) {
      if (sent.kind === "aborted") await store.releaseDelivery(id, claim);
      else await store.settleDelivery(id, claim, settlementOf(sent, attempts));
    }
  }

  async #targetOf({ orgId, targetId }: TargetKey): Promise<Target | undefined> {
    const { audiences } = this.#options;
    const find = (): Target | undefined => audiences.of(orgId)?.targets.find(({ id }) => id === targetId);
    const known = find();
    if (known !== undefined) return known;
    await audiences.refresh(orgId);
    return find();
  }

  /** Disables the target as its owner could: it stays registered and may be enabled again. */
  async #disable({ orgId, targetId }: TargetKey): Promise<void> {
    const { store, kinds, audiences, clock } = this.#options;
    const name = targetId.slice(targetId.lastIndexOf("/") + 1);
    const kind = kinds.find((one) => one.targetId(name) === targetId);
    if (kind === undefined) return;
    const entry = await store.getEntry(orgId, entryKindOf(kind.kind), name);
    if (entry === undefined || !kind.isEnabled(entry)) return;
    const at = clock.now();
    const body = { ...entry.body, enabled: false };
    const change = { kind: kind.kind, name, action: "updated", before: entry.body, after: body } as const;
    const put = { change: "put", kind: entryKindOf(kind.kind), id: name, body } as const;
    await store.applyEntries(orgId, [put], at, changeAudit(change, ENGINE_ACTOR, at));
    await audiences.refresh(orgId);
  }
}

/** Deliveries that are combined into one message. */
type DeliveryGroup = readonly [ClaimedDelivery, ...ClaimedDelivery[]];

function inGroups(claimed: readonly ClaimedDelivery[]): readonly DeliveryGroup[] {
  const groups = new Map<string, DeliveryGroup>();
  for (const delivery of claimed) {
    const { id, orgId, targetId, recipient, groupKey } = delivery;
    const key = groupKey === null ? id : JSON.stringify([orgId, targetId, recipient, groupKey]);
    const before = groups.get(key);
    groups.set(key, before === undefined ? [delivery] : [...before, delivery]);
  }
  return [...groups.values()];
}

/** `attempts` is the number of tries that were finished before this one. */
function settlementOf(sent: Exclude<Sent, { kind: "aborted" }>, attempts: number): Settlement {
  switch (sent.kind) {
    case "delivered":
      return { state: "delivered", retryMs: null, status: sent.status, error: null };
    case "gone": {
      const error = "It answered 410, so that it was disabled.";
      return { state: "given_up", retryMs: null, status: sent.status, error };
    }
    case "refused":
      return { state: "given_up", retryMs: null, status: null, error: sent.error.slice(0, ERROR_LENGTH_MAX) };
    case "failed": {
      const pause = DELIVERY_RETRY_MS[attempts] ?? null;
      const retryMs = pause === null ? null : Math.max(pause, sent.retryMs ?? 0);
      const error = sent.error.slice(0, ERROR_LENGTH_MAX);
      return { state: retryMs === null ? "given_up" : "failed", retryMs, status: sent.status, error };
    }
  }
}
