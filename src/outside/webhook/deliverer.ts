import type { Clock } from "../../clock/index.ts";
import { ENGINE_ACTOR } from "../../core/audit/index.ts";
import { changeAudit, webhookOf } from "../../registry/index.ts";
import type { ClaimedDelivery, DeliveryStore, RegistryStore, Settlement, WebhookKey } from "../../store/index.ts";
import { type Reach, send, type Sent } from "./send.ts";
import type { Subscriber, Subscribers } from "./subscribers.ts";

export interface DelivererOptions {
  readonly store: DeliveryStore & Pick<RegistryStore, "getEntry" | "applyEntries">;
  readonly subscribers: Subscribers;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** One was settled, so that there is room for another. */
  readonly onSettled: () => void;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after each try that failed; after the last one the delivery is given up. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

/** Longer than a try can take, so that no other replica begins one meanwhile. */
const LEASE_MS = MINUTE_MS;
const IN_FLIGHT_MAX = 32;
/** A receiver that is slow must not take the place of the others. */
const PER_WEBHOOK_MAX = 4;
const CLAIMED_AT_ONCE = 4;
const ERROR_LENGTH_MAX = 500;

/** Sends what is due. Any number of replicas may: a delivery is claimed by one at a time. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #inFlight = new Map<Promise<void>, WebhookKey>();
  readonly #stop = new AbortController();

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** Takes on as much as there is room for; resolves before it has arrived. */
  async round(): Promise<void> {
    const { store, subscribers } = this.#options;
    if (subscribers.isEmpty) return;
    while (this.#inFlight.size < IN_FLIGHT_MAX && !this.#stop.signal.aborted) {
      const claimed = await store.claimDeliveries(CLAIMED_AT_ONCE, LEASE_MS, this.#busy());
      for (const delivery of claimed) this.#begin(delivery);
      if (claimed.length < CLAIMED_AT_ONCE) return;
    }
  }

  /** Resolves when nothing that was taken on is open. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.keys());
  }

  /** What is under way is broken off and left to the next replica. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  #busy(): readonly WebhookKey[] {
    const counts = new Map<string, { readonly key: WebhookKey; readonly count: number }>();
    for (const key of this.#inFlight.values()) {
      const name = JSON.stringify([key.orgId, key.webhookId]);
      counts.set(name, { key, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    return [...counts.values()].filter(({ count }) => count >= PER_WEBHOOK_MAX).map(({ key }) => key);
  }

  #begin(delivery: ClaimedDelivery): void {
    const { onTrouble, onSettled } = this.#options;
    const { orgId, webhookId, id } = delivery;
    const work: Promise<void> = this.#deliver(delivery)
      .catch((error: unknown) => onTrouble(`the delivery ${id} could not be settled`, error))
      .finally(() => {
        this.#inFlight.delete(work);
        onSettled();
      });
    this.#inFlight.set(work, { orgId, webhookId });
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { store, clock, reach } = this.#options;
    const { id, claim, orgId, webhookId, attempts } = delivery;
    const subscriber = await this.#subscriberOf(delivery);
    const sent: Sent =
      subscriber === undefined
        ? { kind: "refused", error: "The webhook was disabled or deleted." }
        : await send(delivery, subscriber, reach, clock.now(), this.#stop.signal);
    if (sent.kind === "aborted") return store.releaseDelivery(id, claim);
    if (sent.kind === "gone") await this.#disable(orgId, webhookId);
    await store.settleDelivery(id, claim, settlementOf(sent, attempts));
  }

  async #subscriberOf({ orgId, webhookId }: WebhookKey): Promise<Subscriber | undefined> {
    const { subscribers } = this.#options;
    const find = (): Subscriber | undefined =>
      subscribers.of(orgId)?.subscribers.find((subscriber) => subscriber.id === webhookId);
    const known = find();
    if (known !== undefined) return known;
    await subscribers.refresh(orgId);
    return find();
  }

  /** As its owner would: it stays registered, and may be enabled again. */
  async #disable(orgId: string, name: string): Promise<void> {
    const { store, subscribers, clock } = this.#options;
    const entry = await store.getEntry(orgId, "webhook", name);
    if (entry === undefined || !webhookOf(entry).isEnabled) return;
    const at = clock.now();
    const body = { ...entry.body, enabled: false };
    const change = { kind: "Webhook", name, action: "updated", before: entry.body, after: body } as const;
    const put = { change: "put", kind: "webhook", id: name, body } as const;
    await store.applyEntries(orgId, [put], at, changeAudit(change, ENGINE_ACTOR, at));
    await subscribers.refresh(orgId);
  }
}

/** `attempts`: tries that were finished before this one. */
function settlementOf(sent: Exclude<Sent, { kind: "aborted" }>, attempts: number): Settlement {
  switch (sent.kind) {
    case "delivered":
      return { state: "delivered", retryMs: null, status: sent.status, error: null };
    case "gone": {
      const error = "It answered 410, so that the webhook was disabled.";
      return { state: "given_up", retryMs: null, status: sent.status, error };
    }
    case "refused":
      return { state: "given_up", retryMs: null, status: null, error: sent.error.slice(0, ERROR_LENGTH_MAX) };
    case "failed": {
      const retryMs = RETRY_MS[attempts] ?? null;
      const error = sent.error.slice(0, ERROR_LENGTH_MAX);
      return { state: retryMs === null ? "given_up" : "failed", retryMs, status: sent.status, error };
    }
  }
}
