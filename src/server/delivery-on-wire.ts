import type { Delivery } from "../contract/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { DeliveryRecord, NewDelivery } from "../store/index.ts";

export function deliveryOnWire(delivery: DeliveryRecord): Delivery {
  const { id, type, recipient, state, attempts, nextAt, lastStatus, lastError, createdAt, settledAt } = delivery;
  return {
    id,
    type,
    recipient,
    state,
    attempts,
    nextAttemptAt: nextAt === null ? null : isoFromEpochMs(nextAt),
    lastStatus,
    lastError,
    createdAt: isoFromEpochMs(createdAt),
    settledAt: settledAt === null ? null : isoFromEpochMs(settledAt),
  };
}

/** Returns a delivery that was stored just now, in the form of the API. */
export function newDeliveryOnWire({ delayMs, ...delivery }: NewDelivery, at: number): Delivery {
  const fresh = { state: "pending", attempts: 0, lastStatus: null, lastError: null, settledAt: null } as const;
  return deliveryOnWire({ ...delivery, ...fresh, nextAt: at + delayMs, createdAt: at });
}
