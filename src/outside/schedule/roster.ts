import { isScheduled, type ScheduledTrigger, scheduleOf, triggerOf } from "../../registry/index.ts";
import {
  type Entry,
  everyEntry,
  type RegistryStore,
  type ScheduleCursor,
  type ScheduleStore,
} from "../../store/index.ts";
import { type Timetable, timetableOf } from "./slots.ts";

/** A schedule that is watched. */
export interface Scheduled {
  readonly orgId: string;
  readonly trigger: ScheduledTrigger;
  /** The id under which its cursor and its slots are kept. */
  readonly scheduleId: string;
  readonly edition: string;
  readonly timetable: Timetable;
  /** The next slot that was not yet processed, as far as this replica knows; null when there is none. */
  nextAt: number | null;
}

export type RosterStore = Pick<RegistryStore, "configVersions" | "listEntries"> &
  Pick<ScheduleStore, "scheduleCursors" | "startCursor">;

export interface RosterOptions {
  readonly store: RosterStore;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Prefix for slots of triggers. No schedule name has a slash, so slots of schedules and triggers never collide. */
export const TRIGGER_SLOTS = "trigger/";

/** A changed schedule is due from the moment of the change if that is at most this long ago, otherwise from now. */
const NOTICE_MS = 60_000;

/** The enabled schedules, and the enabled triggers that have a schedule, of every organisation. */
export class Roster {
  readonly #options: RosterOptions;
  readonly #versions = new Map<string, number>();
  readonly #organisations = new Map<string, ReadonlyMap<string, Scheduled>>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** Needs one query when no organisation has changed. */
  async refresh(now: number): Promise<void> {
    const versions = await this.#options.store.configVersions();
    for (const orgId of this.#organisations.keys()) if (!versions.has(orgId)) this.#leave(orgId);
    for (const [orgId, version] of versions) {
      if (this.#versions.get(orgId) === version) continue;
      await this.#load(orgId, now);
      this.#versions.set(orgId, version);
    }
  }

  /** Removes an organisation that now lives in another database. Its slots would otherwise stay due here for ever. */
  #leave(orgId: string): void {
    this.#organisations.delete(orgId);
    this.#versions.delete(orgId);
  }

  /** Causes the entries of an organisation to be read again at the next refresh. */
  forget(orgId: string): void {
    this.#versions.delete(orgId);
  }

  find(orgId: string, scheduleId: string): Scheduled | undefined {
    return this.#organisations.get(orgId)?.get(scheduleId);
  }

  due(now: number): readonly Scheduled[] {
    return [...this.#all()].filter(({ nextAt }) => nextAt !== null && nextAt <= now);
  }

  /** Returns when the next slot of any schedule is due. */
  nextAt(): number | null {
    let next: number | null = null;
    for (const { nextAt } of this.#all()) if (nextAt !== null && (next === null || nextAt < next)) next = nextAt;
    return next;
  }

  *#all(): Generator<Scheduled, void> {
    for (const schedules of this.#organisations.values()) yield* schedules.values();
  }

  async #load(orgId: string, now: number): Promise<void> {
    const { store } = this.#options;
    const entries = [
      ...(await everyEntry(store, orgId, "schedule")).map((entry) => ({ entry, isSchedule: true, id: entry.id })),
      ...(await everyEntry(store, orgId, "trigger")).map((entry) => {
        return { entry, isSchedule: false, id: `${TRIGGER_SLOTS}${entry.id}` };
      }),
    ];
    const cursors = new Map((await store.scheduleCursors(orgId)).map((cursor) => [cursor.scheduleId, cursor]));
    const loaded = new Map<string, Scheduled>();
    for (const { entry, isSchedule, id: scheduleId } of entries) {
      const edition = `${entry.revision}@${entry.updatedAt}`;
      const kept = cursors.get(scheduleId);
      const known = this.find(orgId, scheduleId);
      // This schedule has not changed, so its loaded state stays valid.
      if (known?.edition === edition && kept?.edition === edition) {
        loaded.set(scheduleId, known);
        continue;
      }
      const read = this.#read(orgId, entry, isSchedule);
      if (read?.trigger.isEnabled !== true) continue;
      const { trigger, timetable } = read;
      const cursor = kept?.edition === edition ? kept : await this.#begin(orgId, scheduleId, entry, edition, now);
      const nextAt = timetable.next(cursor.lookedUntil);
      loaded.set(scheduleId, { orgId, trigger, scheduleId, edition, timetable, nextAt });
    }
    this.#organisations.set(orgId, loaded);
  }

  #begin(
    orgId: string,
    scheduleId: string,
    { updatedAt }: Entry,
    edition: string,
    now: number,
  ): Promise<ScheduleCursor> {
    const isFresh = updatedAt <= now && now - updatedAt <= NOTICE_MS;
    const lookedUntil = isFresh ? updatedAt : now;
    return this.#options.store.startCursor({ orgId, scheduleId, edition, lookedUntil });
  }

  #read(orgId: string, entry: Entry, isSchedule: boolean): Pick<Scheduled, "trigger" | "timetable"> | null {
    try {
      const trigger = isSchedule ? scheduleOf(entry) : triggerOf(entry);
      return isScheduled(trigger) ? { trigger, timetable: timetableOf(trigger.on.timing) } : null;
    } catch (error) {
      const what = isSchedule ? "schedule" : "trigger";
      this.#options.onTrouble(`the ${what} ${entry.id} of ${orgId} cannot be read and starts nothing`, error);
      return null;
    }
  }
}
