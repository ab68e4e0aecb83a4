import type { Listed, Page } from "./store.ts";

/** What became of deliveries to triggers: one row per delivery, so that a delivery starts at most one run. */
export interface TriggerStore {
  /**
   * Of one moment: what became of a delivery, and how many others the trigger took within the window before now.
   * Both by database time.
   */
  deliveryStanding(key: TriggerDeliveryKey, windowMs: number): Promise<DeliveryStanding>;
  /** Records what became of a delivery, at database time; a run that was started stays recorded. Returns what stands. */
  recordDelivery(key: TriggerDeliveryKey, outcome: TriggerDeliveryOutcome): Promise<TriggerDeliveryRecord>;
  /** Newest first. */
  listTriggerDeliveries(orgId: string, triggerId: string, page: Page): Promise<Listed<TriggerDeliveryRecord>>;
  /** Forgets all but the newest `keep` deliveries of a trigger, and none that is younger than `keepMs`. */
  pruneTriggerDeliveries(orgId: string, triggerId: string, keep: number, keepMs: number): Promise<void>;
}

/** `filtered`: the filter of the trigger did not hold. `refused`: it could not start a run. */
export const TRIGGER_DELIVERY_STATES = ["started", "filtered", "refused"] as const;
export type TriggerDeliveryState = (typeof TRIGGER_DELIVERY_STATES)[number];

export interface TriggerDeliveryKey {
  readonly orgId: string;
  /** Which kind of entry it is, and its name: `trigger/orders`, `schedule/nightly`, `hook/triage`. */
  readonly triggerId: string;
  /** As the sender names it, or made here. */
  readonly deliveryId: string;
}

export interface TriggerDeliveryOutcome {
  readonly state: TriggerDeliveryState;
  readonly runId: string | null;
  /** Why no run was started: a code, and a sentence. */
  readonly code: string | null;
  readonly reason: string | null;
}

export interface TriggerDeliveryRecord extends TriggerDeliveryKey, TriggerDeliveryOutcome {
  readonly receivedAt: number;
}

export interface DeliveryStanding {
  /** Null: it is new. */
  readonly known: TriggerDeliveryRecord | null;
  readonly recent: number;
}
