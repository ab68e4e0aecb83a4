import type { Listed, Page } from "./store.ts";

/** Which targets (webhooks and channels) listen, how far each organisation was fed, and what has to be delivered. */
export interface WebhookStore extends FeedStore, DeliveryStore {}

export interface FeedStore {
  /** Organisations that have registered a webhook or a channel, or in which one still listens. */
  listListeningOrganisations(): Promise<readonly string[]>;
  /**
   * Records which targets of an organisation listen, as of a version of what is registered. Those that are gone get
   * nothing any more, also of what waited for them. Null, and nothing changes, when the version is not the present one.
   */
  subscribe(orgId: string, version: number, wanted: readonly Subscription[]): Promise<readonly Subscription[] | null>;
  /**
   * Organisations with audit records that were not fed, or whose runs were not looked at for `sweepMs`; each is held
   * for one caller at a time, until `endFeed` or for `leaseMs`.
   */
  claimFeeds(sweepMs: number, leaseMs: number, limit: number): Promise<readonly FeedClaim[]>;
  endFeed(orgId: string, sweptAt: number | null): Promise<void>;
  /** Of these runs, those of subscribed organisations that have events which were not fed. */
  listRunsAhead(runIds: readonly string[]): Promise<readonly RunAhead[]>;
  /** The same among the runs of an organisation that are open, or had usage booked since an instant. */
  sweepRunsAhead(orgId: string, since: number, limit: number): Promise<readonly RunAhead[]>;
  /** Deliveries of the events after `from` up to `to`; nothing, and false, unless just these are next. */
  feedRun(feed: Feed & { readonly runId: string }): Promise<boolean>;
  /** The same of audit records. */
  feedAudit(feed: Feed): Promise<boolean>;
}

export interface Subscription {
  readonly targetId: string;
  /** What happened before is not for it. */
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
  /** Path of the block of the file it runs; null: the file itself. */
  readonly block: string | null;
  readonly fedEventId: number;
  readonly lastEventId: number;
}

export interface Feed {
  readonly orgId: string;
  /** Of what is registered, when it was decided who gets what. */
  readonly version: number;
  readonly from: number;
  readonly to: number;
  readonly deliveries: readonly NewDelivery[];
}

/** Open ones are `pending` before the first try and `failed` between tries. */
export const DELIVERY_STATES = ["pending", "failed", "delivered", "given_up"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A channel among the targets; webhooks stand there under their own name, which holds no slash. */
export function channelTarget(name: string): string {
  return `channel/${name}`;
}

export interface NewDelivery {
  /** Follows from organisation, target, recipient and subject, so that nothing is ever sent under two ids. */
  readonly id: string;
  readonly orgId: string;
  /** The name of a webhook, or `channelTarget` of the name of a channel. */
  readonly targetId: string;
  readonly type: string;
  /** JSON: to a webhook byte for byte as it is sent, to a channel what the message is about. */
  readonly body: string;
  /** The address of one of several recipients of a target; null: the target itself. */
  readonly recipient: string | null;
  /** Deliveries of one target, recipient and group that wait at the same time are sent as one message; null: alone. */
  readonly groupKey: string | null;
  /** The run it is about, with which it is removed; null: it is about none. */
  readonly runId: string | null;
  /** Not before so long from now. */
  readonly delayMs: number;
}

export interface DeliveryRecord extends Omit<NewDelivery, "delayMs"> {
  readonly state: DeliveryState;
  /** Finished tries. */
  readonly attempts: number;
  /** When it is tried next; null once it is settled. */
  readonly nextAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
}

export interface ClaimedDelivery extends Omit<NewDelivery, "delayMs"> {
  /** A later claim has a higher one, and only the last may settle it. */
  readonly claim: number;
  readonly attempts: number;
}

/** `retryMs` null: not tried again. */
export interface Settlement {
  readonly state: Exclude<DeliveryState, "pending">;
  readonly retryMs: number | null;
  readonly status: number | null;
  readonly error: string | null;
}

export interface DeliveryStore {
  /** For what is no event: a message a person asked for. What is known by its id already is left as it is. */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Takes due deliveries, oldest first, for `leaseMs`; safe on any number of replicas. `busy` names targets that have
   * enough to do for now.
   */
  claimDeliveries(limit: number, leaseMs: number, busy: readonly TargetKey[]): Promise<readonly ClaimedDelivery[]>;
  /** Takes what else waits in the group of a claimed delivery, due or not, unless another replica has it. */
  claimGroup(claimed: ClaimedDelivery, limit: number, leaseMs: number): Promise<readonly ClaimedDelivery[]>;
  /** False when another replica has claimed it since. */
  settleDelivery(id: string, claim: number, settlement: Settlement): Promise<boolean>;
  /** Gives it back untried. */
  releaseDelivery(id: string, claim: number): Promise<void>;
  /** The same, but not to be tried before `delayMs`; `reason` is shown meanwhile. */
  postponeDelivery(id: string, claim: number, delayMs: number, reason: string): Promise<void>;
  /** Newest first. */
  listDeliveries(orgId: string, targetId: string, page: Page): Promise<Listed<DeliveryRecord>>;
  /** Due at once, and with all its tries before it, under the same id; undefined when there is none. */
  redeliver(orgId: string, targetId: string, id: string): Promise<DeliveryRecord | undefined>;
  /** Forgets settled deliveries made before an instant; answers how many. */
  pruneDeliveries(before: number, limit: number): Promise<number>;
}

export interface TargetKey {
  readonly orgId: string;
  readonly targetId: string;
}
