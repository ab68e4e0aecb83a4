import type { Json, JsonObject } from "../core/base/index.ts";
import type { Listed, Page } from "./store.ts";

/** An event to be kept, sent from outside or emitted by a run. */
export interface NewEvent {
  /** Id of the event, unique in the organisation while the event is kept. */
  readonly id: string;
  readonly type: string;
  readonly key: JsonObject;
  /** Digest of the whole key, by which waiting nodes are found. */
  readonly keyDigest: string;
  readonly data: Json;
  readonly keepMs: number;
  /** Number of runs in the chain, each started by an event of the one before, that led to this event. */
  readonly hops: number;
  /** The key or token that sent the event, or the run that emitted it. */
  readonly sentBy: string | null;
}

export interface KeptEventRecord extends Omit<NewEvent, "keepMs"> {
  readonly orgId: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
}

/** An event to deliver. */
export interface EventToDeliver extends KeptEventRecord {
  /** Version of the organisation's registered entries when the event was read: who knows them for it need not look again. */
  readonly configVersion: number;
}

/** A node that waits for an event, as a commit writes it. */
export interface NewWaiter {
  readonly nodeId: string;
  readonly epoch: number;
  /** Id of the event in the run's log with which the node began to wait. */
  readonly blockedBy: number;
  readonly type: string;
  readonly keyDigest: string;
  /** Events received before this instant do not count. */
  readonly since: number;
}

export interface Waiter extends NewWaiter {
  readonly orgId: string;
  readonly runId: string;
}

export type WaiterKey = Pick<Waiter, "runId" | "nodeId" | "blockedBy">;

/**
 * Kept events of an organisation and the nodes that wait for them. Each event and each waiter is written with a mark,
 * then matched against the other side, and only then unmarked. Of two written at the same time, at least one sees the
 * other, and the mark finds those that a crash left unmatched.
 */
export interface EventStore {
  /** Keeps new events. An event whose id exists stays unchanged. Returns each event as kept, in the given order. */
  putEvents(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]>;
  /** Returns the events with these ids that are still kept. */
  getEvents(orgId: string, ids: readonly string[]): Promise<readonly EventToDeliver[]>;
  /** Returns events, newest first, without expired ones. */
  listEvents(orgId: string, filter: EventFilter, page: Page): Promise<Listed<KeptEventRecord>>;
  /** Returns nodes that wait for the event, by run and node, after a given one. */
  waitersOf(
    event: KeptEventRecord,
    after: Pick<Waiter, "runId" | "nodeId"> | null,
    limit: number,
  ): Promise<readonly Waiter[]>;
  /** Returns events that a node may take, oldest first, after a given one. */
  eventsFor(
    waiter: Waiter,
    after: Pick<KeptEventRecord, "receivedAt" | "id"> | null,
    limit: number,
  ): Promise<readonly KeptEventRecord[]>;
  unmarkEvents(events: readonly Pick<KeptEventRecord, "orgId" | "id">[]): Promise<void>;
  unmarkWaiters(waiters: readonly WaiterKey[]): Promise<void>;
  /** Returns events marked at least `ageMs` ago, oldest first, and renews their marks, so that no other replica takes them too. */
  claimMarkedEvents(ageMs: number, limit: number): Promise<readonly EventToDeliver[]>;
  claimMarkedWaiters(ageMs: number, limit: number): Promise<readonly Waiter[]>;
  /** Deletes expired events, at most `limit`; returns how many. */
  deleteExpiredEvents(limit: number): Promise<number>;
}

export interface PutEvent {
  readonly event: EventToDeliver;
  readonly isNew: boolean;
}

export interface EventFilter {
  readonly type?: string;
}
