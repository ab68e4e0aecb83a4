import { Cron as Calendar } from "croner";
import type { Cron, Timing } from "../../registry/index.ts";
import { type WallTime, wallTimeIn } from "./wall-time.ts";

/** When a schedule is due, as instants; the same on every replica. */
export interface Timetable {
  /** The first slot at or after an instant; null when there is none for centuries. */
  next(from: number): number | null;
  /** The newest slots from one instant to before another, oldest first; at most `count`. */
  last(from: number, until: number, count: number): readonly number[];
}

export function timetableOf(timing: Timing): Timetable {
  return timing.kind === "interval"
    ? evenly(timing.everySeconds * 1_000)
    : byCalendar(timing.cron, wallTimeIn(timing.timezone));
}

/** Every slot from one instant to before another, in order. */
export function* slotsBetween(timetable: Timetable, from: number, until: number): Generator<number, void> {
  let slot = timetable.next(from);
  while (slot !== null && slot < until) {
    yield slot;
    slot = timetable.next(slot + 1);
  }
}

/** The next slots from an instant on. */
export function nextSlots(timing: Timing, from: number, count: number): readonly number[] {
  const found: number[] = [];
  for (const slot of slotsBetween(timetableOf(timing), from, Number.POSITIVE_INFINITY)) {
    if (found.length >= count) break;
    found.push(slot);
  }
  return found;
}

/** Counted from the epoch, so that all replicas agree, whenever they began. */
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
 * The calendar is asked in wall time, where no hour is missing and none comes twice; what the clocks of the place do
 * then is up to `WallTime`, for every expression alike.
 */
function byCalendar(cron: Cron, wall: WallTime): Timetable {
  const calendar = calendarOf(cron);
  return {
    next(from) {
      // The jump itself shows a time after those it left out, so that the look begins with what was shown before it.
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
      // The calendar looks at whole seconds, and only before the one it is given.
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

/** The expression spelled out: what it means was decided where it was read. */
function calendarOf({ minutes, hours, days, months, weekdays, isEitherDay }: Cron): Calendar {
  const pattern = [minutes, hours, days, months, weekdays].map((values) => values.join(",")).join(" ");
  return new Calendar(pattern, { mode: "5-part", utcOffset: 0, domAndDow: !isEitherDay, paused: true });
}
