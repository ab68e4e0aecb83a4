import { type Period, periodOf } from "../../../core/governance/index.ts";

export interface Spent {
  /** Epoch milliseconds, of the beginning of an hour or a day. */
  readonly at: number;
  readonly micros: number;
}

/** How an envelope stands in its present period, and where it is going. */
export interface BurnDown {
  readonly start: number;
  readonly end: number;
  readonly spentMicros: number;
  readonly ceilingMicros: number;
  /** Of the ceiling; above 1 when it was passed. */
  readonly share: number;
  /** What will be spent by the end if it goes on as so far. */
  readonly projectedMicros: number;
  /** When the ceiling is reached at that rate; null: not in this period. */
  readonly breachAt: number | null;
  readonly state: "fine" | "near" | "exhausted";
  /** What was left after each step, for the line. */
  readonly points: readonly { readonly at: number; readonly leftMicros: number }[];
}

const NEAR = 0.8;
const HOUR_MS = 3_600_000;

export function burnDown(period: Period, ceilingMicros: number, spending: readonly Spent[], now: number): BurnDown {
  const { start, end } = periodOf(period, now);
  const own = spending.filter(({ at }) => at >= start && at < end).toSorted((left, right) => left.at - right.at);
  let spentMicros = 0;
  const points = [{ at: start, leftMicros: ceilingMicros }];
  for (const { at, micros } of own) {
    spentMicros += micros;
    points.push({ at: Math.max(at, start), leftMicros: ceilingMicros - spentMicros });
  }
  points.push({ at: now, leftMicros: ceilingMicros - spentMicros });
  // The first hour tells nothing yet about a whole day.
  const elapsed = Math.max(now - start, HOUR_MS);
  const rate = spentMicros / elapsed;
  const breach = rate === 0 ? Infinity : start + ceilingMicros / rate;
  const share = ceilingMicros === 0 ? 1 : spentMicros / ceilingMicros;
  return {
    start,
    end,
    spentMicros,
    ceilingMicros,
    share,
    projectedMicros: Math.round(rate * (end - start)),
    breachAt: share >= 1 ? now : breach < end ? Math.max(breach, now) : null,
    state: share >= 1 ? "exhausted" : share >= NEAR || breach < end ? "near" : "fine",
    points,
  };
}
