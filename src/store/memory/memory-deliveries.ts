import { decodeCursor, listed } from "../cursor.ts";
import type { ClaimedDelivery, DeliveryRecord, DeliveryStore, NewDelivery } from "../webhook-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export type MemoryDelivery = DeliveryRecord & {
  readonly seq: number;
  readonly claim: number;
  /** Until this instant the delivery is held by one replica. */
  readonly heldUntil: number;
};

/** Adds deliveries. Those whose id exists stay unchanged. */
export function addDeliveries(world: MemoryWorld, added: readonly NewDelivery[]): void {
  const { deliveries } = world.webhooks;
  for (const delivery of added) {
    if (deliveries.has(delivery.id)) continue;
    const seq = (world.webhooks.lastSeq += 1);
    const now = world.now();
    const { delayMs, ...kept } = delivery;
    const fresh = { state: "pending", claim: 0, attempts: 0, nextAt: now + delayMs, createdAt: now } as const;
    const none = { heldUntil: 0, lastStatus: null, lastError: null, settledAt: null };
    deliveries.set(delivery.id, { ...kept, ...fresh, ...none, seq });
  }
}

export function memoryDeliveries(world: MemoryWorld): DeliveryStore {
  const { deliveries } = world.webhooks;
  const claimed = (id: string, claim: number): MemoryDelivery | undefined => {
    const delivery = deliveries.get(id);
    return delivery?.claim === claim && delivery.nextAt !== null ? delivery : undefined;
  };
  return {
    addDeliveries: async (added) => addDeliveries(world, added),
    ...claiming(world),
    settleDelivery: async (id, claim, { state, retryMs, status, error }) => {
      const delivery = claimed(id, claim);
      if (delivery === undefined) return false;
      const now = world.now();
      const times = { nextAt: retryMs === null ? null : now + retryMs, settledAt: retryMs === null ? now : null };
      const last = { lastStatus: status, lastError: error };
      deliveries.set(id, { ...delivery, ...times, ...last, heldUntil: 0, state, attempts: delivery.attempts + 1 });
      return true;
    },
    releaseDelivery: async (id, claim) => {
      const delivery = claimed(id, claim);
      if (delivery !== undefined) deliveries.set(id, { ...delivery, nextAt: world.now(), heldUntil: 0 });
    },
    postponeDelivery: async (id, claim, delayMs, reason) => {
      const delivery = claimed(id, claim);
      if (delivery === undefined) return;
      deliveries.set(id, { ...delivery, nextAt: world.now() + delayMs, heldUntil: 0, lastError: reason });
    },
    listDeliveries: async (orgId, targetId, page) => {
      const before = decodeCursor(page.cursor)?.at ?? Infinity;
      const rows = [...deliveries.values()]
        .filter((one) => one.orgId === orgId && one.targetId === targetId && one.seq < before)
        .sort((left, right) => right.seq - left.seq);
      const { data, nextCursor } = listed(rows, page.limit, ({ seq }) => ({ at: seq, id: "" }));
      return { data: data.map(shown), nextCursor };
    },
    redeliver: async (orgId, targetId, id) => {
      const delivery = deliveries.get(id);
      if (delivery?.orgId !== orgId || delivery.targetId !== targetId) return undefined;
      const fresh = { state: "pending", attempts: 0, nextAt: world.now(), heldUntil: 0, settledAt: null } as const;
      const again = { ...delivery, ...fresh, claim: delivery.claim + 1 };
      deliveries.set(id, again);
      return shown(again);
    },
    pruneDeliveries: async (before, limit) => {
      const old = [...deliveries.values()].filter((one) => one.nextAt === null && one.createdAt < before);
      const gone = old.sort((left, right) => left.createdAt - right.createdAt).slice(0, limit);
      for (const { id } of gone) deliveries.delete(id);
      return gone.length;
    },
  };
}

/** Claims deliveries, each for one caller at a time. */
function claiming(world: MemoryWorld): Pick<DeliveryStore, "claimDeliveries" | "claimGroup"> {
  const { deliveries } = world.webhooks;
  const hold = (delivery: MemoryDelivery, leaseMs: number): MemoryDelivery => {
    const until = world.now() + leaseMs;
    const held = { ...delivery, claim: delivery.claim + 1, nextAt: until, heldUntil: until };
    deliveries.set(delivery.id, held);
    return held;
  };
  return {
    claimDeliveries: async (limit, leaseMs, busy) => {
      const now = world.now();
      const isBusy = new Set(busy.map(({ orgId, targetId }) => keyOf(orgId, targetId)));
      const due = [...deliveries.values()].flatMap((delivery) => {
        const { nextAt, orgId, targetId } = delivery;
        return nextAt !== null && nextAt <= now && !isBusy.has(keyOf(orgId, targetId)) ? [{ nextAt, delivery }] : [];
      });
      const taken = due
        .sort((left, right) => left.nextAt - right.nextAt || left.delivery.seq - right.delivery.seq)
        .slice(0, limit)
        .map(({ delivery }) => delivery);
      return taken
        .map((delivery) => hold(delivery, leaseMs))
        .sort(bySeq)
        .map(claimOf);
    },
    claimGroup: async ({ id, orgId, targetId, recipient, groupKey }, limit, leaseMs) => {
      const now = world.now();
      const isTogether = (one: MemoryDelivery): boolean =>
        one.orgId === orgId && one.targetId === targetId && one.recipient === recipient && one.groupKey === groupKey;
      return [...deliveries.values()]
        .filter((one) => groupKey !== null && one.id !== id && isTogether(one))
        .filter(({ nextAt, heldUntil }) => nextAt !== null && heldUntil <= now)
        .sort(bySeq)
        .slice(0, limit)
        .map((delivery) => claimOf(hold(delivery, leaseMs)));
    },
  };
}

function bySeq(left: MemoryDelivery, right: MemoryDelivery): number {
  return left.seq - right.seq;
}

function claimOf(delivery: MemoryDelivery): ClaimedDelivery {
  const { id, orgId, targetId, type, body, recipient, groupKey, runId, claim, attempts } = delivery;
  return { id, orgId, targetId, type, body, recipient, groupKey, runId, claim, attempts };
}

function shown({ seq: _seq, claim: _claim, heldUntil: _heldUntil, ...delivery }: MemoryDelivery): DeliveryRecord {
  return copy(delivery);
}
