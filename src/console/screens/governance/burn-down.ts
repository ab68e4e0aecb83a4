import { type Period, periodOf } from "../../../core/governance/index.ts";
import { type BudgetState, budgetState } from "../../parts/budget-state.ts";

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
  /** What will be spent by the end at the present rate. */
  readonly projectedMicros: number;
  /** When the ceiling was reached, or will be at that rate; null: not in this period. */
  readonly breachAt: number | null;
  readonly state: BudgetState;
  /** What was left after each step, for the line. */
  readonly points: readonly BurnPoint[];
  /** Where the line goes from now on at that rate: to nothing, or to the end of the period. Null: nothing is left. */
  readonly ahead: BurnPoint | null;
}

export interface BurnPoint {
  readonly at: number;
  readonly leftMicros: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The figures behind the chart and the text beside it; `booked` is the sum in the ledger, where it is known. */
export function burnDown(
  period: Period,
  ceilingMicros: number,
  spending: readonly Spent[],
  now: number,
  booked?: number,
): BurnDown {
  const { start, end } = periodOf(period, now);
  const bucketMs = period === "daily" ? HOUR_MS : DAY_MS;
  const own = spending.filter(({ at }) => at >= start && at < end).toSorted((left, right) => left.at - right.at);
  const points = [{ at: start, leftMicros: ceilingMicros }];
  let counted = 0;
  for (const { at, micros } of own) {
    counted += micros;
    // It was spent by the end of its hour or day; when exactly is not known.
    points.push({ at: Math.min(at + bucketMs, now), leftMicros: ceilingMicros - Math.min(counted, booked ?? counted) });
  }
  const spentMicros = booked ?? counted;
  const leftMicros = ceilingMicros - spentMicros;
  points.push({ at: now, leftMicros });
  // The first hour is too short for a forecast of a whole day.
  const rate = spentMicros / Math.max(now - start, HOUR_MS);
  const reached = rate === 0 ? Infinity : now + leftMicros / rate;
  const share = ceilingMicros === 0 ? 1 : spentMicros / ceilingMicros;
  const isExhausted = share >= 1;
  const passed = points.find((point) => point.leftMicros <= 0);
  const projectedMicros = Math.round(spentMicros + rate * (end - now));
  return {
    start,
    end,
    spentMicros,
    ceilingMicros,
    share,
    projectedMicros,
    breachAt: isExhausted ? (passed?.at ?? now) : reached < end ? reached : null,
    state: budgetState(share),
    points,
    ahead: isExhausted
      ? null
      : reached < end
        ? { at: reached, leftMicros: 0 }
        : { at: end, leftMicros: ceilingMicros - projectedMicros },
  };
}
