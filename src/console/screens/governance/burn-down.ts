import { type Period, periodOf } from "../../../core/governance/index.ts";
import { type BudgetState, budgetState } from "../../parts/budget-state.ts";

export interface Spent {
  /** Start of the hour or the day, in epoch milliseconds. */
  readonly at: number;
  readonly micros: number;
}

/** The state of an envelope in its present period, with a forecast. */
export interface BurnDown {
  readonly start: number;
  readonly end: number;
  readonly spentMicros: number;
  readonly ceilingMicros: number;
  /** Spent share of the ceiling. Above 1 when the ceiling was passed. */
  readonly share: number;
  /** Forecast of the total spending at the end of the period, at the present rate. */
  readonly projectedMicros: number;
  /** When the ceiling was reached, or will be reached at the present rate. Null when that is not in this period. */
  readonly breachAt: number | null;
  readonly state: BudgetState;
  /** The remaining amount after each hour or day, for the line of the chart. */
  readonly points: readonly BurnPoint[];
  /** End point of the forecast: when the budget is used up, or at the end of the period. Null when nothing is left. */
  readonly ahead: BurnPoint | null;
}

export interface BurnPoint {
  readonly at: number;
  readonly leftMicros: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Computes the figures for the chart and its text. `booked` is the sum in the ledger, if it is known. */
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
    // The amount is drawn at the end of its hour or day, because the exact time is not known.
    points.push({ at: Math.min(at + bucketMs, now), leftMicros: ceilingMicros - Math.min(counted, booked ?? counted) });
  }
  const spentMicros = booked ?? counted;
  const leftMicros = ceilingMicros - spentMicros;
  points.push({ at: now, leftMicros });
  // The rate is computed over at least an hour, because a shorter time is no basis for a forecast.
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
