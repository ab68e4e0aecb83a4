import type { Json, JsonObject } from "../core/base/index.ts";
import type { Listed, Page } from "./store.ts";

/** An event as it is sent or emitted. */
export interface NewEvent {
  /** Unique in the organisation while it is kept. */
  readonly id: string;
  readonly type: string;
  readonly key: JsonObject;
  /** Of the whole key; what waiting nodes are found by. */
  readonly keyDigest: string;
  readonly data: Json;
  readonly keepMs: number;
  /** How many runs that started one another by events led to it. */
  readonly hops: number;
  /** The key or token that sent it, or the run that emitted it. */
  readonly sentBy: string | null;
}

export interface KeptEventRecord extends Omit<NewEvent, "keepMs"> {
  readonly orgId: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
}

/** A node that waits for an event, as a commit writes it. */
export interface NewWaiter {
  readonly nodeId: string;
  readonly epoch: number;
  /** Number of the event of the run's log with which it began to wait. */
  readonly blockedBy: number;
  readonly type: string;
  readonly keyDigest: string;
  /** Events received before do not count. */
  readonly since: number;
}

export interface Waiter extends NewWaiter {
  readonly orgId: string;
  readonly runId: string;
}

export type WaiterKey = Pick<Waiter, "runId" | "nodeId" | "blockedBy">;

/**
 * Events of an organisation and the nodes that wait for them. Each is written with a mark, looked up afterwards from its
 * own side, and only then loses the mark: of two that are written at the same time at least one sees the other, and what
 * a crash has kept from being looked up is found by its mark.
 */
export interface EventStore {
  /** Those whose id is taken are left as they are; answers each as it is kept, in the order given. */
  putEvents(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]>;
  /** Those of these ids that are kept. */
  getEvents(orgId: string, ids: readonly string[]): Promise<readonly KeptEventRecord[]>;
  /** Newest first, those that are no longer kept left out. */
  listEvents(orgId: string, filter: EventFilter, page: Page): Promise<Listed<KeptEventRecord>>;
  /** Nodes that wait for the event, by run and node, after the one given. */
  waitersOf(
    event: KeptEventRecord,
    after: Pick<Waiter, "runId" | "nodeId"> | null,
    limit: number,
  ): Promise<readonly Waiter[]>;
  /** Events a node may take, oldest first, after the one given. */
  eventsFor(
    waiter: Waiter,
    after: Pick<KeptEventRecord, "receivedAt" | "id"> | null,
    limit: number,
  ): Promise<readonly KeptEventRecord[]>;
  unmarkEvents(events: readonly Pick<KeptEventRecord, "orgId" | "id">[]): Promise<void>;
  unmarkWaiters(waiters: readonly WaiterKey[]): Promise<void>;
  /** Marked at least so long ago, the oldest first; they are then marked again, so that no other replica takes them too. */
  claimMarkedEvents(ageMs: number, limit: number): Promise<readonly KeptEventRecord[]>;
  claimMarkedWaiters(ageMs: number, limit: number): Promise<readonly Waiter[]>;
  /** Deletes events that are no longer kept; how many, at most `limit`. */
  deleteExpiredEvents(limit: number): Promise<number>;
}

export interface PutEvent {
  readonly event: KeptEventRecord;
  readonly isNew: boolean;
}

export interface EventFilter {
  readonly type?: string;
}
