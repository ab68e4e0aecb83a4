import type { UsageSelection } from "./governance-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The epoch began on a Thursday; weeks begin on Sunday. */
const FIRST_SUNDAY_MS = -4 * DAY_MS;

/** Returns the start of the bucket that contains a moment, in UTC. */
export function bucketStart(bucket: UsageSelection["bucket"], at: number): number {
  switch (bucket) {
    case "hour":
      return Math.floor(at / HOUR_MS) * HOUR_MS;
    case "day":
      return Math.floor(at / DAY_MS) * DAY_MS;
    case "week":
      return Math.floor((at - FIRST_SUNDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_SUNDAY_MS;
    case "month": {
      const day = new Date(at);
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
    }
  }
}
