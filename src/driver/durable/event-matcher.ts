import { eventStanding } from "../../core/engine/index.ts";
import type { EventStore, KeptEventRecord, NewEvent, PutEvent, Waiter } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { ReportIntake } from "./report-intake.ts";

/** Starts what an event starts, once however often it is called with it; a rejection makes it be called again. */
export type EventSubscriber = (event: KeptEventRecord) => Promise<void>;

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
/** What was written and not looked up for so long is looked up by the replica that finds it. */
const OVERDUE_MS = 10_000;
/** Look-ups at a time; the others wait. */
const LOOKUPS_MAX = 8;

/**
 * Brings events to the nodes that wait for them.
 *
 * - An event, or a node that begins to wait, is committed first and looked up afterwards, each from its own side: of two
 *   that meet, at least one sees the other.
 * - Its mark stands until that was done. A mark that is overdue was left by a crash, and the look-up is repeated.
 * - A node takes an event by an input of its own run, which the engine accepts once: to deliver twice is to deliver once.
 */
export class EventMatcher {
  readonly #options: EventMatcherOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  #underWay = 0;
  #isStopped = false;

  constructor(options: EventMatcherOptions) {
    this.#options = options;
  }

  /** Resolves once they are kept; who waits for them receives them afterwards. */
  async receive(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]> {
    const put = await this.#options.store.putEvents(orgId, events);
    for (const { event, isNew } of put) if (isNew) this.#lookUp(() => this.#deliverToAll(event));
    return put;
  }

  /** A commit has written these. */
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

  /** Repeats what a crash has interrupted, a bounded number at a time; clears away what is no longer kept. */
  async round(): Promise<void> {
    const { store } = this.#options;
    for (const event of await store.claimMarkedEvents(OVERDUE_MS, MARKED_PAGE))
      this.#lookUp(() => this.#deliverToAll(event));
    for (const waiter of await store.claimMarkedWaiters(OVERDUE_MS, MARKED_PAGE))
      this.#lookUp(() => this.#findFor(waiter));
    await store.deleteExpiredEvents(EXPIRED_PAGE);
  }

  /** What is not done is found by its mark. */
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

  async #deliverToAll(event: KeptEventRecord): Promise<void> {
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
        // One it has taken before is followed by the next.
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
