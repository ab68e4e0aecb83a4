import { isScheduled, type ScheduledTrigger, scheduleOf, triggerOf } from "../../registry/index.ts";
import {
  type Entry,
  everyEntry,
  type RegistryStore,
  type ScheduleCursor,
  type ScheduleStore,
} from "../../store/index.ts";
import { type Timetable, timetableOf } from "./slots.ts";

/** A schedule that is being looked at. */
export interface Scheduled {
  readonly orgId: string;
  readonly trigger: ScheduledTrigger;
  /** Under which its cursor and its slots are kept. */
  readonly scheduleId: string;
  readonly edition: string;
  readonly timetable: Timetable;
  /** Its next slot not looked at yet, as far as is known here; null when there is none. */
  nextAt: number | null;
}

export type RosterStore = Pick<RegistryStore, "configVersions" | "listEntries"> &
  Pick<ScheduleStore, "scheduleCursors" | "startCursor">;

export interface RosterOptions {
  readonly store: RosterStore;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** No name of a schedule has a slash, so that slots of both are kept side by side. */
export const TRIGGER_SLOTS = "trigger/";

/** A change is looked at from the moment it was made, if that was not longer ago than this; else from now. */
const NOTICE_MS = 60_000;

/** The triggers of the kind schedule that are enabled, in every organisation. */
export class Roster {
  readonly #options: RosterOptions;
  readonly #versions = new Map<string, number>();
  readonly #organisations = new Map<string, ReadonlyMap<string, Scheduled>>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** One query when nothing was changed anywhere. */
  async refresh(now: number): Promise<void> {
    const versions = await this.#options.store.configVersions();
    for (const orgId of this.#organisations.keys()) if (!versions.has(orgId)) this.#leave(orgId);
    for (const [orgId, version] of versions) {
      if (this.#versions.get(orgId) === version) continue;
      await this.#load(orgId, now);
      this.#versions.set(orgId, version);
    }
  }

  /** It lives in another database now: its slots would be due here for ever. */
  #leave(orgId: string): void {
    this.#organisations.delete(orgId);
    this.#versions.delete(orgId);
  }

  /** What is known of an organisation is read again the next time. */
  forget(orgId: string): void {
    this.#versions.delete(orgId);
  }

  find(orgId: string, scheduleId: string): Scheduled | undefined {
    return this.#organisations.get(orgId)?.get(scheduleId);
  }

  due(now: number): readonly Scheduled[] {
    return [...this.#all()].filter(({ nextAt }) => nextAt !== null && nextAt <= now);
  }

  /** When the next slot of all is due. */
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
      // Something else was changed: what is known of this one is as true as before.
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
