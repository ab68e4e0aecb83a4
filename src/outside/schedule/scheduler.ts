import type { Clock, Stop } from "../../clock/index.ts";
import type { Launcher } from "../../launch/index.ts";
import { IDEMPOTENCY_MS, type ScheduleSlot, type ScheduleStore } from "../../store/index.ts";
import { BACKFILL_MAX, decideSlots } from "./decide.ts";
import { Roster, type RosterStore, type Scheduled } from "./roster.ts";
import { slotsBetween } from "./slots.ts";
import { Starter, type StarterStore } from "./starter.ts";

export interface SchedulerOptions {
  readonly store: ScheduleStore & RosterStore & StarterStore;
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** The name under which this process claims slots, unique per process. */
  readonly replicaId: string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const TICK_MS = 1_000;
/** Minimum delay, so that a slot that became due during a tick does not wait for a full second. */
const TICK_MIN_MS = 10;
/** A replica that has not settled a claimed slot after this time is considered dead. */
const CLAIM_MS = 15_000;
/** Interval of the search for slots that other replicas left behind. While there are any, every tick searches. */
const SWEEP_MS = 15_000;
const SWEEP_MAX = 1_000;
/** A slot is on time when a replica checks it within this time, so replicas that start and stop meanwhile lose none. */
const LATE_MS = 5_000;
/** Without a successful check for this long, slots that became due in between count as missed. */
const ABSENT_MS = 10_000;
/** Upper bound: a slot older than this is never on time, however busy the replica was. */
const ON_TIME_MAX_MS = 60_000;
/** After this time it is unknown whether a claim has started its run. */
const RECALL_MS = IDEMPOTENCY_MS - 3_600_000;
const SLOTS_KEPT = 1_000;
const LANES = 8;

const GONE = "the schedule was changed, disabled or deleted before its run was started";

/** Starts runs by the clock. Any number of schedulers may share a database: each slot is claimed by one. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #roster: Roster;
  readonly #starter: Starter;
  #attentiveSince: number;
  #lookedAt: number;
  #sweepAt = 0;
  #isWatching = false;
  #isStopped = false;
  #cancel: Stop | null = null;
  #underWay: Promise<void> | null = null;
  #isTroubled = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#roster = new Roster(options);
    this.#starter = new Starter(options.launcher, options.store);
    this.#attentiveSince = options.clock.now();
    this.#lookedAt = this.#attentiveSince;
  }

  start(): void {
    this.#after(0);
  }

  /** Processes everything that is due now. Concurrent calls share one round. */
  tick(): Promise<void> {
    this.#underWay ??= this.#round().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  /** Resolves when no round is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#underWay;
  }

  #after(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(delayMs, () => void this.tick().then(() => this.#after(this.#delay())));
  }

  #delay(): number {
    const next = this.#roster.nextAt();
    if (this.#isTroubled || next === null) return TICK_MS;
    return Math.min(TICK_MS, Math.max(TICK_MIN_MS, next - this.#options.clock.now()));
  }

  async #round(): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    if (now - this.#lookedAt > ABSENT_MS) this.#attentiveSince = now;
    this.#isTroubled = false;
    if (!(await this.#guarded("reading the schedules", () => this.#roster.refresh(now)))) return;
    await this.#inLanes(this.#roster.due(now), (scheduled) =>
      this.#guarded(`the schedule ${scheduled.scheduleId} of ${scheduled.orgId}`, () => this.#look(scheduled, now)),
    );
    if (this.#isWatching || now >= this.#sweepAt) {
      await this.#guarded("looking for slots that were left behind", () => this.#sweep(now));
    }
    this.#lookedAt = clock.now();
  }

  async #look(scheduled: Scheduled, now: number): Promise<void> {
    const { store, replicaId: claimedBy } = this.#options;
    const { orgId, scheduleId, trigger, edition, timetable } = scheduled;
    const { cursor, ...standing } = await store.scheduleStanding(orgId, scheduleId);
    if (cursor?.edition !== edition) {
      // The schedule was changed a moment ago, by this replica or another.
      this.#roster.forget(orgId);
      return;
    }
    const until = now + 1;
    if (cursor.lookedUntil >= until) {
      scheduled.nextAt = timetable.next(cursor.lookedUntil);
      return;
    }
    const onTimeFrom = Math.max(cursor.lookedUntil, this.#attentiveSince - LATE_MS, now - ON_TIME_MAX_MS);
    const due = {
      missed: timetable.last(cursor.lookedUntil, Math.min(onTimeFrom, until), BACKFILL_MAX),
      onTime: [...slotsBetween(timetable, onTimeFrom, until)],
    };
    const slots = decideSlots(trigger.on, due, standing);
    const { workflow } = trigger;
    const added = await store.claimSlots({ cursor, lookedUntil: until, workflow, slots, claimedBy, at: now });
    // Another replica was first; the next round reads its result.
    if (added === null) return;
    scheduled.nextAt = timetable.next(until);
    this.#isWatching ||= slots.some(({ state }) => state === "queued");
    const claimed = new Set(slots.flatMap(({ slotAt, state }) => (state === "claimed" ? [slotAt] : [])));
    for (const slotAt of added) {
      if (this.#isStopped) return;
      if (claimed.has(slotAt)) await this.#starter.start({ orgId, scheduleId, slotAt }, trigger);
    }
    await store.pruneSlots(orgId, scheduleId, SLOTS_KEPT);
  }

  async #sweep(now: number): Promise<void> {
    const found = await this.#options.store.unsettledSlots(SWEEP_MAX);
    this.#isWatching = found.length > 0;
    this.#sweepAt = now + SWEEP_MS;
    await this.#inLanes(found, (slot) =>
      this.#guarded(`a slot of the schedule ${slot.scheduleId} of ${slot.orgId}`, () =>
        slot.state === "queued" ? this.#takeQueued(slot, now) : this.#takeClaimed(slot, now),
      ),
    );
  }

  async #takeQueued(slot: ScheduleSlot, now: number): Promise<void> {
    const { store, replicaId: claimedBy } = this.#options;
    const scheduled = this.#roster.find(slot.orgId, slot.scheduleId);
    if (scheduled?.trigger.workflow !== slot.workflow) {
      // Another replica may have read a newer schedule and queued this slot just now.
      if (slot.claimedAt > now - CLAIM_MS) return;
      await store.settleSlot(slot, "queued", { state: "skipped", reason: GONE });
      return;
    }
    const mayOverlap = scheduled.trigger.on.overlap === "allow";
    if (!(await store.takeQueuedSlot(slot, { claimedBy, at: now, mayOverlap }))) return;
    await this.#starter.start(slot, scheduled.trigger);
  }

  async #takeClaimed(slot: ScheduleSlot, now: number): Promise<void> {
    const { store, replicaId: claimedBy } = this.#options;
    const claimedBefore = now - CLAIM_MS;
    if (slot.claimedAt > claimedBefore) return;
    if (!(await store.takeClaimedSlot(slot, { claimedBy, at: now, claimedBefore }))) return;
    const scheduled = this.#roster.find(slot.orgId, slot.scheduleId);
    if (slot.claimedAt < now - RECALL_MS) {
      const reason = "it was claimed so long ago that it is unknown whether its run was started";
      await this.#starter.recall(slot, slot.workflow, reason);
    } else if (scheduled?.trigger.workflow !== slot.workflow) {
      await this.#starter.recall(slot, slot.workflow, GONE);
    } else {
      await this.#starter.start(slot, scheduled.trigger);
    }
  }

  /** Processes a few items at a time: at midnight, everything is due at once. */
  async #inLanes<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    const waiting = items.values();
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        if (this.#isStopped) return;
        await work(item);
      }
    };
    await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane));
  }

  /** Returns whether the work succeeded. A failure may have left a claim behind. */
  async #guarded(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#isTroubled = true;
      this.#isWatching = true;
      this.#options.onTrouble(what, error);
      return false;
    }
  }
}
