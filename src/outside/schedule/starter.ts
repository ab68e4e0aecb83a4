import { digestText } from "../../core/base/index.ts";
import type { Launcher } from "../../launch/index.ts";
import { NOTHING_DELIVERED, type Trigger } from "../../registry/index.ts";
import type { IdempotencyScope, RunStore, ScheduleStore, SlotKey, TriggerStore } from "../../store/index.ts";
import { actorOf, deliveriesOf, launchTriggered, outcomeOf, storable } from "../trigger/index.ts";
import { TRIGGER_SLOTS } from "./roster.ts";

export type StarterStore = Pick<ScheduleStore, "settleSlot"> &
  Pick<RunStore, "findIdempotent"> &
  Pick<TriggerStore, "recordDelivery">;

/** Starts the run of a claimed slot and records the outcome. Called twice, it starts the run once. */
export class Starter {
  readonly #launcher: Launcher;
  readonly #store: StarterStore;

  constructor(launcher: Launcher, store: StarterStore) {
    this.#launcher = launcher;
    this.#store = store;
  }

  async start(slot: SlotKey, trigger: Trigger): Promise<void> {
    const { orgId } = slot;
    const key = slotName(slot);
    const delivered = { ...NOTHING_DELIVERED, body: { slot_at: key } };
    // Only the slot identifies the request: the args may be changed before it is tried again.
    const idempotency = { key, bodyHash: digestText(`${actorOf(trigger)} ${key}`) };
    const result = await launchTriggered(this.#launcher, { orgId, trigger, delivered, idempotency }, async () => ({}));
    if (result.kind === "refused") {
      const { code, message } = result.refusal;
      await this.#store.settleSlot(slot, "claimed", { state: "refused", reason: storable(`${code}: ${message}`) });
    } else if (result.kind === "filtered") {
      await this.#store.settleSlot(slot, "claimed", { state: "skipped", reason: "the filter did not hold" });
    } else {
      await this.#store.settleSlot(slot, "claimed", { state: "started", runId: result.run.runId });
    }
    if (trigger.origin !== "trigger") return;
    await this.#store.recordDelivery({ orgId, triggerId: deliveriesOf(trigger), deliveryId: key }, outcomeOf(result));
  }

  /** Settles a slot without starting a run. The replica that claimed the slot may already have started one. */
  async recall(slot: SlotKey, workflow: string, reason: string): Promise<void> {
    const found = await this.#store.findIdempotent(scopeOf(slot, workflow));
    const outcome =
      found === undefined
        ? ({ state: "skipped", reason } as const)
        : ({ state: "started", runId: found.runId } as const);
    await this.#store.settleSlot(slot, "claimed", outcome);
  }
}

function slotName({ slotAt }: SlotKey): string {
  return new Date(slotAt).toISOString();
}

function scopeOf(slot: SlotKey, workflow: string): IdempotencyScope {
  const { orgId, scheduleId } = slot;
  const isTrigger = scheduleId.startsWith(TRIGGER_SLOTS);
  const name = isTrigger ? scheduleId.slice(TRIGGER_SLOTS.length) : scheduleId;
  const keyId = actorOf({ origin: isTrigger ? "trigger" : "schedule", name });
  return { orgId, keyId, workflow, key: slotName(slot) };
}
