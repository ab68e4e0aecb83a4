import { dateOf, DAY_MS, dayOf } from "../base/index.ts";
import type { Period } from "./registered.ts";

/** Epoch milliseconds, UTC. `start` is inclusive, `end` exclusive. */
export interface PeriodSpan {
  readonly start: number;
  readonly end: number;
}

/** 1970-01-01 was a Thursday; weeks begin on Sunday. */
const WEEKDAY_OF_EPOCH = 4;

/** Returns the period that contains a moment. Days begin at midnight, weeks on Sunday, months on the 1st. */
export function periodOf(period: Period, at: number): PeriodSpan {
  const day = Math.floor(at / DAY_MS);
  switch (period) {
    case "daily":
      return span(day, day + 1);
    case "weekly": {
      const sunday = day - ((((day + WEEKDAY_OF_EPOCH) % 7) + 7) % 7);
      return span(sunday, sunday + 7);
    }
    case "monthly": {
      const { year, month } = dateOf(day);
      return span(dayOf({ year, month, day: 1 }), dayOf({ year, month: month + 1, day: 1 }));
    }
  }
}

function span(firstDay: number, nextDay: number): PeriodSpan {
  return { start: firstDay * DAY_MS, end: nextDay * DAY_MS };
}
