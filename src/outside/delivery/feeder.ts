/**
 * Turns events and audit records into deliveries. Commits write no deliveries, so that they cost nothing. Instead, the
 * store keeps for every run and every audit chain the position up to which it was fed.
 *
 * Nothing is lost: a position advances only in the statement that writes the deliveries up to it, and runs ahead of
 * their position are found again in three ways. (1) This process feeds its own commits at once. (2) The audit covers a
 * process that died before it could feed: runs begin, end and settle nodes with an entry in the same commit, entries
 * are numbered without gaps, and an entry is passed only when the runs it names were fed. (3) Changes without an entry
 * (a log, a retry) are found by checking all open runs, and cost booked after the end of a run by its usage.
 *
 * Nothing is sent under two ids: the id of a delivery follows from organisation, target and event, and of two replicas
 * that feed the same, only one advances the position. Receivers are chosen under a version of the registered entries
 * that must still be current at the write, so that no target misses anything after its registration.
 */
import type { AuditRecord } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { epochMsFromIso } from "../../core/view/index.ts";
import type { Clock } from "../../clock/index.ts";
import type {
  AuditStore,
  DeliveryStore,
  FeedClaim,
  FeedStore,
  NewDelivery,
  RunAhead,
  RunStore,
  TicketStore,
} from "../../store/index.ts";
import { isCoveredByEvents } from "./interest.ts";
import { auditMessage, eventMessage } from "./message.ts";
import type { Audience, Audiences } from "./audience.ts";
import type { Occurrence } from "./target.ts";

export interface FeederOptions {
  readonly store: FeedStore &
    Pick<DeliveryStore, "pruneDeliveries"> &
    Pick<TicketStore, "pruneTickets"> &
    Pick<RunStore, "readEvents"> &
    Pick<AuditStore, "readSegment">;
  readonly audiences: Audiences;
  readonly clock: Clock;
  /** Called when there are new deliveries. */
  readonly onFed: () => void;
}

const EVENTS_PER_PAGE = 500;
const RUNS_PER_PAGE = 500;
const FEEDS_PER_ROUND = 100;
const SWEEP_MS = 10_000;
const LEASE_MS = 30_000;
/** Clocks of replicas differ, so usage is searched from a little before the last sweep. */
const SKEW_MS = 60_000;
const TRIES_MAX = 3;
const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNED_MAX = 5_000;

export class Feeder {
  readonly #options: FeederOptions;
  readonly #touched = new Set<string>();
  #nextPruneAt = 0;

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  /** Records that this process has committed events of a run. */
  touch(runId: string): void {
    this.#touched.add(runId);
  }

  async round(): Promise<void> {
    const { store, audiences } = this.#options;
    await audiences.look();
    if (audiences.isEmpty) {
      this.#touched.clear();
      return;
    }
    await this.#feedTouched();
    for (const claim of await store.claimFeeds(SWEEP_MS, LEASE_MS, FEEDS_PER_ROUND)) await this.#feedClaimed(claim);
    await this.#pruneIfDue();
  }

  async #feedTouched(): Promise<void> {
    const runIds = [...this.#touched];
    this.#touched.clear();
    for (let start = 0; start < runIds.length; start += RUNS_PER_PAGE) {
      await this.#feedRuns(runIds.slice(start, start + RUNS_PER_PAGE));
    }
  }

  async #feedClaimed({ orgId, auditSeq, headSeq, sweptAt, isSweepDue, now }: FeedClaim): Promise<void> {
    const { store } = this.#options;
    let isSwept = false;
    try {
      await this.#feedAudit(orgId, auditSeq, headSeq);
      if (isSweepDue) isSwept = await this.#sweep(orgId, sweptAt - SKEW_MS);
    } finally {
      await store.endFeed(orgId, isSwept ? now : null);
    }
  }

  async #feedAudit(orgId: string, fromSeq: number, headSeq: number): Promise<void> {
    const { store } = this.#options;
    for (let seq = fromSeq; seq < headSeq;) {
      const segment = await store.readSegment(orgId, seq, headSeq);
      const to = segment?.toSeq ?? headSeq;
      const records = (segment?.lines ?? []).map((line) => JSON.parse(line) as AuditRecord);
      const runIds = new Set(records.flatMap(({ run }) => (run === undefined ? [] : [run])));
      if (!(await this.#feedRuns([...runIds]))) return;
      const audience = await this.#audienceOf(orgId);
      if (audience === undefined) return;
      const occurrences = records
        // Records without a run have no events, so they are sent from the audit.
        .filter(({ type, run }) => run === undefined || !isCoveredByEvents(type))
        .map((record): Occurrence => {
          const { at, resource, detail } = record;
          const data = { resource, ...detail };
          return { orgId, message: auditMessage(record), at: epochMsFromIso(at) ?? 0, run: null, data };
        });
      const deliveries = await deliveriesOf(occurrences, audience);
      if (!(await store.feedAudit({ orgId, version: audience.version, from: seq, to, deliveries }))) {
        await this.#options.audiences.refresh(orgId);
        return;
      }
      this.#notifyFed(deliveries);
      seq = to;
    }
  }

  /** Returns true when no run is ahead of its position any more. */
  async #sweep(orgId: string, since: number): Promise<boolean> {
    for (;;) {
      const ahead = await this.#options.store.sweepRunsAhead(orgId, since, RUNS_PER_PAGE);
      if (!(await this.#feedAll(ahead))) return false;
      if (ahead.length < RUNS_PER_PAGE) return true;
    }
  }

  /** Feeds all events of the runs; false when some runs are still ahead. */
  async #feedRuns(runIds: readonly string[]): Promise<boolean> {
    if (runIds.length === 0) return true;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const ahead = await this.#options.store.listRunsAhead(runIds);
      if (await this.#feedAll(ahead)) return true;
    }
    return false;
  }

  async #feedAll(ahead: readonly RunAhead[]): Promise<boolean> {
    let isDone = true;
    for (const run of ahead) isDone = (await this.#feedRun(run)) && isDone;
    return isDone;
  }

  /** Returns false when another replica was faster or an entry was registered meanwhile. The caller then tries again. */
  async #feedRun(run: RunAhead): Promise<boolean> {
    const { store, audiences } = this.#options;
    const { orgId, runId } = run;
    for (let from = run.fedEventId; from < run.lastEventId;) {
      const audience = await this.#audienceOf(orgId);
      if (audience === undefined) return true;
      const events = await store.readEvents(orgId, runId, from, EVENTS_PER_PAGE);
      const to = events.at(-1)?.eventId ?? run.lastEventId;
      const occurrences = events
        .filter(({ type, at }) => isShown(run, type) && isWantedBy(audience, type, at))
        .map((event): Occurrence => {
          const { at, payload } = event;
          return { orgId, message: eventMessage(event, run), at, run, data: payload as JsonObject };
        });
      const deliveries = await deliveriesOf(occurrences, audience);
      if (!(await store.feedRun({ orgId, runId, version: audience.version, from, to, deliveries }))) {
        await audiences.refresh(orgId);
        return false;
      }
      this.#notifyFed(deliveries);
      from = to;
    }
    return true;
  }

  /** Undefined when no target listens any more. */
  async #audienceOf(orgId: string): Promise<Audience | undefined> {
    const { audiences } = this.#options;
    if (audiences.of(orgId) === undefined) await audiences.refresh(orgId);
    return audiences.of(orgId);
  }

  #notifyFed(deliveries: readonly NewDelivery[]): void {
    if (deliveries.length > 0) this.#options.onFed();
  }

  async #pruneIfDue(): Promise<void> {
    const now = this.#options.clock.now();
    if (now < this.#nextPruneAt) return;
    this.#nextPruneAt = now + PRUNE_EVERY_MS;
    const { store } = this.#options;
    await store.pruneDeliveries(now - KEPT_MS, PRUNED_MAX);
    await store.pruneTickets(now - KEPT_MS, PRUNED_MAX);
  }
}

/** Receivers do not see a block as a run: its begin and end are sent as events of a node of the run that contains it. */
function isShown({ block }: RunAhead, type: string): boolean {
  return block === null || !type.startsWith("run.");
}

function isWantedBy({ targets }: Audience, type: string, at: number): boolean {
  return targets.some((target) => at >= target.since && target.wants(type));
}

async function deliveriesOf(
  occurrences: readonly Occurrence[],
  { targets }: Audience,
): Promise<readonly NewDelivery[]> {
  const deliveries: NewDelivery[] = [];
  for (const occurrence of occurrences) {
    const { at, message } = occurrence;
    for (const target of targets) {
      if (at < target.since || !target.wants(message.type)) continue;
      deliveries.push(...(await target.deliveriesOf(occurrence)));
    }
  }
  return deliveries;
}
