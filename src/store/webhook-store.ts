import type { Listed, Page } from "./store.ts";

/** Subscribed targets (webhooks and channels), the feed position of each organisation, and the deliveries to be sent. */
export interface WebhookStore extends FeedStore, DeliveryStore {}

export interface FeedStore {
  /** Returns organisations that have a registered webhook or channel, or still have a subscription. */
  listListeningOrganisations(): Promise<readonly string[]>;
  /**
   * Records the subscribed targets of an organisation, for a version of its registry. Removed targets receive nothing
   * more, not even waiting deliveries. Null, without a change, when the version is not the present one.
   */
  subscribe(orgId: string, version: number, wanted: readonly Subscription[]): Promise<readonly Subscription[] | null>;
  /**
   * Claims organisations with audit records that were not fed, or whose runs were not checked for `sweepMs`. Each is
   * held for one caller at a time, until `endFeed` or for `leaseMs`.
   */
  claimFeeds(sweepMs: number, leaseMs: number, limit: number): Promise<readonly FeedClaim[]>;
  endFeed(orgId: string, sweptAt: number | null): Promise<void>;
  /** Returns those of these runs that belong to subscribed organisations and have events that were not fed. */
  listRunsAhead(runIds: readonly string[]): Promise<readonly RunAhead[]>;
  /** Same for the runs of an organisation that are open, or had usage recorded since an instant. */
  sweepRunsAhead(orgId: string, since: number, limit: number): Promise<readonly RunAhead[]>;
  /** Adds deliveries for the events after `from` up to `to`. Returns false and adds none unless exactly these events are next. */
  feedRun(feed: Feed & { readonly runId: string }): Promise<boolean>;
  /** Same for audit records. */
  feedAudit(feed: Feed): Promise<boolean>;
}

export interface Subscription {
  readonly targetId: string;
  /** Events before this instant are not delivered to the target. */
  readonly since: number;
}

export interface FeedClaim {
  readonly orgId: string;
  readonly auditSeq: number;
  readonly headSeq: number;
  readonly sweptAt: number;
  readonly isSweepDue: boolean;
  /** Database time. */
  readonly now: number;
}

export interface RunAhead {
  readonly orgId: string;
  readonly runId: string;
  readonly workflow: string;
  readonly traceId: string;
  /** Path of the block that the run runs; null when it runs the whole file. */
  readonly block: string | null;
  readonly fedEventId: number;
  readonly lastEventId: number;
}

export interface Feed {
  readonly orgId: string;
  /** Version of the registry with which the recipients were chosen. */
  readonly version: number;
  readonly from: number;
  readonly to: number;
  readonly deliveries: readonly NewDelivery[];
}

/** An open delivery is `pending` before the first try and `failed` between tries. */
export const DELIVERY_STATES = ["pending", "failed", "delivered", "given_up"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Returns the target id of a channel. Webhooks use their own name as target id, which contains no slash. */
export function channelTarget(name: string): string {
  return `channel/${name}`;
}

export interface NewDelivery {
  /** Derived from organisation, target, recipient and subject, so that nothing is sent under two ids. */
  readonly id: string;
  readonly orgId: string;
  /** The name of a webhook, or `channelTarget` of the name of a channel. */
  readonly targetId: string;
  readonly type: string;
  /** JSON: for a webhook the exact bytes to send, for a channel the content of the message. */
  readonly body: string;
  /** Address of one of several recipients of a target; null for the target itself. */
  readonly recipient: string | null;
  /** Waiting deliveries of the same target, recipient and group are sent as one message; null when it is sent alone. */
  readonly groupKey: string | null;
  /** The run that the delivery is about, and with which it is deleted; null when it is about no run. */
  readonly runId: string | null;
  /** Minimum delay before the delivery is sent. */
  readonly delayMs: number;
}

export interface DeliveryRecord extends Omit<NewDelivery, "delayMs"> {
  readonly state: DeliveryState;
  /** Number of finished tries. */
  readonly attempts: number;
  /** Time of the next try; null once the delivery is settled. */
  readonly nextAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
}

export interface ClaimedDelivery extends Omit<NewDelivery, "delayMs"> {
  /** Claim number. A later claim has a higher one, and only the last may settle the delivery. */
  readonly claim: number;
  readonly attempts: number;
}

/** `retryMs` is null when the delivery is not tried again. */
export interface Settlement {
  readonly state: Exclude<DeliveryState, "pending">;
  readonly retryMs: number | null;
  readonly status: number | null;
  readonly error: string | null;
}

export interface DeliveryStore {
  /** Adds deliveries without an event, for messages that a person requested. Deliveries whose id exists stay unchanged. */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Takes due deliveries, oldest first, for `leaseMs`. Safe on any number of replicas. `busy` names targets that are
   * skipped because they have enough open deliveries.
   */
  claimDeliveries(limit: number, leaseMs: number, busy: readonly TargetKey[]): Promise<readonly ClaimedDelivery[]>;
  /** Takes the other waiting deliveries of a claimed delivery's group, due or not, except those claimed by another replica. */
  claimGroup(claimed: ClaimedDelivery, limit: number, leaseMs: number): Promise<readonly ClaimedDelivery[]>;
  /** Returns false when another replica has claimed it since. */
  settleDelivery(id: string, claim: number, settlement: Settlement): Promise<boolean>;
  /** Releases a delivery without a try. */
  releaseDelivery(id: string, claim: number): Promise<void>;
  /** Releases a delivery, to be tried again after `delayMs` at the earliest. `reason` is shown meanwhile. */
  postponeDelivery(id: string, claim: number, delayMs: number, reason: string): Promise<void>;
  /** Newest first. */
  listDeliveries(orgId: string, targetId: string, page: Page): Promise<Listed<DeliveryRecord>>;
  /** Makes a delivery due at once, under the same id, with all tries available again. Undefined when it does not exist. */
  redeliver(orgId: string, targetId: string, id: string): Promise<DeliveryRecord | undefined>;
  /** Deletes settled deliveries made before an instant; returns how many. */
  pruneDeliveries(before: number, limit: number): Promise<number>;
}

export interface TargetKey {
  readonly orgId: string;
  readonly targetId: string;
}
