/** The local time of one time zone, and the instants it maps to. A wall time is written as if it were UTC. */
export interface WallTime {
  /** Returns the local time at an instant. */
  show(instant: number): number;
  /**
   * Returns the instant of a local time. A time that occurs twice maps to its first occurrence. A time that is skipped
   * maps to the instant of the jump. A later time therefore never maps to an earlier instant.
   */
  instantOf(wall: number): number;
  /** Returns the latest local time that may have been shown before an instant. */
  latestBefore(instant: number): number;
}

const DAY_MS = 86_400_000;

export function wallTimeIn(timezone: string): WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const offsetAt = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return shown - Math.floor(instant / 1_000) * 1_000;
  };
  /** No zone is a full day from UTC, and no zone changes its clocks twice within two days. */
  const offsetsAround = (instant: number): readonly [before: number, after: number] => [
    offsetAt(instant - DAY_MS),
    offsetAt(instant + DAY_MS),
  ];
  return {
    show: (instant) => instant + offsetAt(instant),
    instantOf(wall) {
      const [before, after] = offsetsAround(wall);
      const first = wall - Math.max(before, after);
      const second = wall - Math.min(before, after);
      if (first + offsetAt(first) === wall) return first;
      if (second + offsetAt(second) === wall) return second;
      return jumpWithin(first, second, (instant) => instant + offsetAt(instant) > wall);
    },
    latestBefore: (instant) => instant + Math.max(...offsetsAround(instant), offsetAt(instant)),
  };
}

/** Returns the first instant after `low`, and not after `high`, at which the clocks have jumped. */
function jumpWithin(low: number, high: number, hasJumped: (instant: number) => boolean): number {
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (hasJumped(middle)) after = middle;
    else before = middle;
  }
  return after;
}
