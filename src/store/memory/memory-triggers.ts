import { decodeCursor, listed } from "../cursor.ts";
import type { TriggerDeliveryRecord, TriggerDeliveryKey, TriggerStore } from "../trigger-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

/** A delivery with its sequence number among all deliveries. */
export interface MemoryTriggerDelivery extends TriggerDeliveryRecord {
  readonly seq: number;
}

export function memoryTriggers(world: MemoryWorld): TriggerStore {
  const deliveries = world.triggerDeliveries;
  let newest = 0;
  const newestOf = (orgId: string, triggerId: string): MemoryTriggerDelivery[] =>
    [...deliveries.values()]
      .filter((one) => one.orgId === orgId && one.triggerId === triggerId)
      .sort((left, right) => right.seq - left.seq);
  return {
    deliveryStanding: async (key, windowMs) => {
      const known = deliveries.get(keyFor(key));
      const from = world.now() - windowMs;
      const recent = newestOf(key.orgId, key.triggerId).filter(({ receivedAt }) => receivedAt > from).length;
      return { known: known === undefined ? null : shown(known), recent };
    },
    recordDelivery: async ({ orgId, triggerId, deliveryId }, { state, runId, code, reason }) => {
      const key = keyOf(orgId, triggerId, deliveryId);
      const before = deliveries.get(key);
      if (before?.state === "started") return shown(before);
      const seq = before?.seq ?? (newest += 1);
      const delivery = { orgId, triggerId, deliveryId, state, runId, code, reason, receivedAt: world.now(), seq };
      deliveries.set(key, delivery);
      return shown(delivery);
    },
    listTriggerDeliveries: async (orgId, triggerId, page) => {
      const before = decodeCursor(page.cursor)?.at ?? Infinity;
      const rows = newestOf(orgId, triggerId).filter(({ seq }) => seq < before);
      const { data, nextCursor } = listed(rows, page.limit, ({ seq }) => ({ at: seq, id: "" }));
      return { data: data.map(shown), nextCursor };
    },
    pruneTriggerDeliveries: async (orgId, triggerId, keep, keepMs) => {
      const before = world.now() - keepMs;
      for (const delivery of newestOf(orgId, triggerId).slice(keep)) {
        if (delivery.receivedAt < before) deliveries.delete(keyFor(delivery));
      }
    },
  };
}

/** Replaces the ids of the deliveries that started these runs. */
export function replaceDeliveryIds(
  { triggerDeliveries }: MemoryWorld,
  orgId: string,
  runIds: ReadonlySet<string>,
): void {
  const found = [...triggerDeliveries].filter(
    ([, { orgId: owner, runId }]) => owner === orgId && runId !== null && runIds.has(runId),
  );
  for (const [key, delivery] of found) {
    const replaced = { ...delivery, deliveryId: `erased ${delivery.seq}` };
    triggerDeliveries.delete(key);
    triggerDeliveries.set(keyFor(replaced), replaced);
  }
}

function shown({ seq: _seq, ...delivery }: MemoryTriggerDelivery): TriggerDeliveryRecord {
  return copy(delivery);
}

function keyFor({ orgId, triggerId, deliveryId }: TriggerDeliveryKey): string {
  return keyOf(orgId, triggerId, deliveryId);
}
