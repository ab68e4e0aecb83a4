import { digestText } from "../../core/base/index.ts";
import type { LaunchCaller, Launcher, LaunchResult } from "../../launch/index.ts";
import type { Delivered, Trigger } from "../../registry/index.ts";
import type { TriggerDeliveryOutcome, TriggerStore } from "../../store/index.ts";
import { type FiringResult, launchTriggered } from "./launch-triggered.ts";
import type { DeclaredArgs } from "./message-args.ts";

export interface TriggerStarterOptions {
  readonly store: TriggerStore;
  readonly launcher: Launcher;
  /** Returns the args a workflow declares. */
  readonly declaredArgs: (orgId: string, workflow: string) => Promise<DeclaredArgs>;
}

export interface TriggerDelivering {
  readonly orgId: string;
  readonly trigger: Trigger;
  readonly delivered: Delivered;
  readonly deliveryId: string;
  /** Distinguishes two messages under one id. Default: messages with the same id are the same message. */
  readonly bodyHash?: string;
  readonly caller?: LaunchCaller;
  readonly hops?: number;
  /** Maximum number of deliveries per minute. Default: `RATE_MAX`. */
  readonly rateMax?: number;
}

export type StartResult =
  | FiringResult
  /** The delivery has already started this run. */
  | { readonly kind: "known"; readonly runId: string }
  | { readonly kind: "limited"; readonly max: number };

/** Maximum number of deliveries of one trigger per minute. */
export const RATE_MAX = 1_200;
export const PUBLIC_FORM_RATE_MAX = 60;
export const RATE_WINDOW_MS = 60_000;

/** Deliveries are remembered for at least as long as a service may send them again. */
const KEPT_MS = 48 * 3_600_000;
const KEPT_MAX = 1_000;
const PRUNE_EVERY = 64;
const REASON_LENGTH_MAX = 2_000;

/** Starts at most one run for each delivery, and records the outcome. */
export class TriggerStarter {
  readonly #options: TriggerStarterOptions;
  #recorded = 0;

  constructor(options: TriggerStarterOptions) {
    this.#options = options;
  }

  async start(delivering: TriggerDelivering): Promise<StartResult> {
    const { orgId, trigger, delivered, deliveryId, bodyHash, caller, hops, rateMax = RATE_MAX } = delivering;
    const { store, launcher, declaredArgs } = this.#options;
    const key = { orgId, triggerId: deliveriesOf(trigger), deliveryId };
    const { known, recent } = await store.deliveryStanding(key, RATE_WINDOW_MS);
    // With a hash, the launcher decides whether it is the same message.
    if (known?.runId !== undefined && known.runId !== null && bodyHash === undefined) {
      return { kind: "known", runId: known.runId };
    }
    if (recent >= rateMax) return { kind: "limited", max: rateMax };
    const idempotency = { key: deliveryId, bodyHash: bodyHash ?? digestText(deliveryId) };
    const result = await launchTriggered(
      launcher,
      {
        orgId,
        trigger,
        delivered,
        idempotency,
        ...(caller === undefined ? {} : { caller }),
        ...(hops === undefined ? {} : { hops }),
      },
      () => declaredArgs(orgId, trigger.workflow),
    );
    await store.recordDelivery(key, outcomeOf(result));
    this.#recorded += 1;
    if (this.#recorded % PRUNE_EVERY === 0) {
      await store.pruneTriggerDeliveries(orgId, key.triggerId, KEPT_MAX, KEPT_MS);
    }
    return result;
  }

  /** Records a delivery that could not be read. */
  async refuse(orgId: string, trigger: Trigger, deliveryId: string, code: string, reason: string): Promise<void> {
    const outcome = { state: "refused", runId: null, code, reason: storable(reason) } as const;
    await this.#options.store.recordDelivery({ orgId, triggerId: deliveriesOf(trigger), deliveryId }, outcome);
  }
}

/** Returns the id under which the deliveries of a trigger are stored. No name has a slash, so ids cannot collide. */
export function deliveriesOf({ origin, name }: Pick<Trigger, "origin" | "name">): string {
  return `${origin}/${name}`;
}

export function outcomeOf(result: LaunchResult | { readonly kind: "filtered" }): TriggerDeliveryOutcome {
  switch (result.kind) {
    case "started":
    case "repeated":
      return { state: "started", runId: result.run.runId, code: null, reason: null };
    case "filtered":
      return { state: "filtered", runId: null, code: null, reason: null };
    case "refused": {
      const { code, message } = result.refusal;
      return { state: "refused", runId: null, code, reason: storable(message) };
    }
  }
}

/** Shortens a reason for storage, since it may quote its input: Postgres cannot store NUL, and no person reads a page of it. */
export function storable(reason: string): string {
  return reason.replaceAll("\0", "").slice(0, REASON_LENGTH_MAX);
}
