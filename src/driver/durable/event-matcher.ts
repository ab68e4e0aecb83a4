import { eventStanding } from "../../core/engine/index.ts";
import type { EventStore, KeptEventRecord, NewEvent, PutEvent, EventToDeliver, Waiter } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { ReportIntake } from "./report-intake.ts";

/** Starts the runs that an event triggers. Repeated calls for the same event start them only once. After a rejection it is called again. */
export type EventSubscriber = (event: EventToDeliver) => Promise<void>;

export interface EventMatcherOptions {
  readonly store: EventStore;
  readonly intake: Pick<ReportIntake, "submitToNewest">;
  readonly subscriber: EventSubscriber | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const WAITERS_PAGE = 200;
const EVENTS_PAGE = 20;
const MARKED_PAGE = 100;
const EXPIRED_PAGE = 1_000;
/** Age at which an event or waiter that is still marked is looked up again, by whichever replica finds it. */
const OVERDUE_MS = 10_000;
/** Maximum number of concurrent look-ups; further look-ups are queued. */
const LOOKUPS_MAX = 8;

/**
 * Delivers events to the nodes that wait for them.
 *
 * - An event, and a node that begins to wait, are each committed first and looked up afterwards. When an event and a
 *   waiter arrive together, at least one of the two look-ups finds the other.
 * - The mark of an event or waiter stays until its look-up is done. An overdue mark was left by a crash, and the
 *   look-up is repeated.
 * - A node receives an event as an input of its run, and the engine accepts that input once. Repeated delivery
 *   therefore has no effect.
 */
export class EventMatcher {
  readonly #options: EventMatcherOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  #underWay = 0;
  #isStopped = false;

  constructor(options: EventMatcherOptions) {
    this.#options = options;
  }

  /** Resolves once the events are stored. Waiting nodes receive them afterwards. */
  async receive(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]> {
    const put = await this.#options.store.putEvents(orgId, events);
    for (const { event, isNew } of put) if (isNew) this.#lookUp(() => this.#deliverToAll(event));
    return put;
  }

  /** Looks up the waiters and events that a commit has written. */
  committed(
    { run: { orgId, runId } }: DrivenRun,
    waiters: readonly Omit<Waiter, "orgId" | "runId">[],
    ids: readonly string[],
  ): void {
    for (const waiter of waiters) this.#lookUp(() => this.#findFor({ ...waiter, orgId, runId }));
    if (ids.length === 0) return;
    this.#lookUp(async () => {
      for (const event of await this.#options.store.getEvents(orgId, ids)) await this.#deliverToAll(event);
    });
  }

  /** Repeats look-ups that a crash interrupted, a bounded number at a time, and deletes expired events. */
  async round(): Promise<void> {
    const { store } = this.#options;
    for (const event of await store.claimMarkedEvents(OVERDUE_MS, MARKED_PAGE))
      this.#lookUp(() => this.#deliverToAll(event));
    for (const waiter of await store.claimMarkedWaiters(OVERDUE_MS, MARKED_PAGE))
      this.#lookUp(() => this.#findFor(waiter));
    await store.deleteExpiredEvents(EXPIRED_PAGE);
  }

  /** Stops looking up. Look-ups that are not done are found later by their marks. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
  }

  #lookUp(work: () => Promise<void>): void {
    if (this.#isStopped) return;
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    if (this.#underWay >= LOOKUPS_MAX) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#underWay += 1;
    void work()
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#options.onTrouble("an event could not be matched, and will be again", error);
      })
      .finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
  }

  async #deliverToAll(event: EventToDeliver): Promise<void> {
    const { store, subscriber } = this.#options;
    for (let after: Waiter | null = null; ;) {
      const page: readonly Waiter[] = await store.waitersOf(event, after, WAITERS_PAGE);
      await Promise.all(page.map((waiter) => this.#deliver(waiter, event)));
      after = page.at(-1) ?? null;
      if (page.length < WAITERS_PAGE) break;
    }
    await subscriber?.(event);
    await store.unmarkEvents([event]);
  }

  async #findFor(waiter: Waiter): Promise<void> {
    const { store } = this.#options;
    let isSought = true;
    for (let after: KeptEventRecord | null = null; isSought;) {
      const page: readonly KeptEventRecord[] = await store.eventsFor(waiter, after, EVENTS_PAGE);
      for (const event of page) {
        // If the node has already taken this event, try the next one.
        isSought &&= (await this.#deliver(waiter, event)) === "taken";
        if (!isSought) break;
      }
      after = page.at(-1) ?? null;
      if (page.length < EVENTS_PAGE) break;
    }
    await store.unmarkWaiters([waiter]);
  }

  async #deliver({ runId, nodeId, epoch }: Waiter, event: KeptEventRecord): Promise<ReturnType<typeof eventStanding>> {
    const { id, type, key, data } = event;
    const input = { type: "event", nodeId, epoch, event: { id, type, key, data } } as const;
    let standing: ReturnType<typeof eventStanding> = "not_waiting";
    await this.#options.intake.submitToNewest(runId, (judged) => ({ state }) => {
      standing = eventStanding(state, input);
      judged(standing === "waiting" ? "received" : "discarded");
      return { input: standing === "waiting" ? input : null };
    });
    return standing;
  }
}
