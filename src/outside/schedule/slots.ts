import { Cron as Calendar } from "croner";
import type { Cron, Timing } from "../../registry/index.ts";
import { type WallTime, wallTimeIn } from "./wall-time.ts";

/** The times at which a schedule is due, as instants; the same on every replica. */
export interface Timetable {
  /** The first slot at or after an instant; null when there is none for centuries. */
  next(from: number): number | null;
  /** Returns the newest slots in the range from `from` up to but excluding `until`, oldest first; at most `count`. */
  last(from: number, until: number, count: number): readonly number[];
}

export function timetableOf(timing: Timing): Timetable {
  return timing.kind === "interval"
    ? evenly(timing.everySeconds * 1_000)
    : byCalendar(timing.cron, wallTimeIn(timing.timezone));
}

/** Yields every slot from one instant up to but excluding another, in order. */
export function* slotsBetween(timetable: Timetable, from: number, until: number): Generator<number, void> {
  let slot = timetable.next(from);
  while (slot !== null && slot < until) {
    yield slot;
    slot = timetable.next(slot + 1);
  }
}

/** Returns the next slots from an instant on. */
export function nextSlots(timing: Timing, from: number, count: number): readonly number[] {
  const found: number[] = [];
  for (const slot of slotsBetween(timetableOf(timing), from, Number.POSITIVE_INFINITY)) {
    if (found.length >= count) break;
    found.push(slot);
  }
  return found;
}

/** Intervals are counted from the epoch, so that all replicas agree whenever they started. */
function evenly(everyMs: number): Timetable {
  return {
    next: (from) => Math.ceil(from / everyMs) * everyMs,
    last(from, until, count) {
      const found: number[] = [];
      let slot = (Math.ceil(until / everyMs) - 1) * everyMs;
      while (slot >= from && found.length < count) {
        found.push(slot);
        slot -= everyMs;
      }
      return found.reverse();
    },
  };
}

const CHUNK = 16;
const SECOND_MS = 1_000;

/**
 * The calendar is queried in wall time, where no hour is missing and none occurs twice. `WallTime` handles clock
 * changes, in the same way for every expression.
 */
function byCalendar(cron: Cron, wall: WallTime): Timetable {
  const calendar = calendarOf(cron);
  return {
    next(from) {
      // The instant of a clock jump shows a time after the skipped ones, so the search begins at the time shown before the jump.
      let at = calendar.nextRun(new Date(wall.show(from - 1)));
      while (at !== null) {
        const instant = wall.instantOf(at.getTime());
        if (instant >= from) return instant;
        at = calendar.nextRun(at);
      }
      return null;
    },
    last(from, until, count) {
      const found = new Set<number>();
      if (from >= until) return [];
      // The calendar works in whole seconds and returns only times before its argument.
      let before = Math.ceil((wall.latestBefore(until) + 1) / SECOND_MS) * SECOND_MS;
      for (;;) {
        const chunk = calendar.previousRuns(CHUNK, new Date(before));
        for (const at of chunk) {
          const instant = wall.instantOf(at.getTime());
          if (instant < from || found.size >= count) return [...found].reverse();
          if (instant < until) found.add(instant);
          before = at.getTime();
        }
        if (chunk.length < CHUNK) return [...found].reverse();
      }
    },
  };
}

/** Builds the calendar from the expanded lists; the expression was interpreted when it was parsed. */
function calendarOf({ minutes, hours, days, months, weekdays, isEitherDay }: Cron): Calendar {
  const pattern = [minutes, hours, days, months, weekdays].map((values) => values.join(",")).join(" ");
  return new Calendar(pattern, { mode: "5-part", utcOffset: 0, domAndDow: !isEitherDay, paused: true });
}
