import type { QuietHours } from "../../registry/index.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** Returns how long the current quiet hours still last; 0 outside of them. They may span midnight. */
export function quietMs({ from, to, zone }: QuietHours, now: number): number {
  if (from === to) return 0;
  const minute = minuteOfDay(now, zone);
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return 0;
  const minutes = (to - minute + DAY_MINUTES) % DAY_MINUTES;
  return minutes * MINUTE_MS - (now % MINUTE_MS);
}

/** When the clocks change, quiet hours may end up to an hour early or late. They are then checked again. */
function minuteOfDay(now: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const numberOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? "0");
  return numberOf("hour") * 60 + numberOf("minute");
}
