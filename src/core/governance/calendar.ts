import { type CivilDate, dateOf, dateText, DAY_MS, dayOf } from "../base/index.ts";

export const HOUR_MS = 3_600_000;

/** Returns the time as `2031-05-04T10:00:00Z`, to the second. */
export function instantText(at: number): string {
  if (!Number.isFinite(at)) return "an unknown time";
  const day = Math.floor(at / DAY_MS);
  const seconds = Math.floor((at - day * DAY_MS) / 1_000);
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(":");
  return `${dateText(dateOf(day))}T${clock}Z`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/;

/** Parses a date into epoch milliseconds: midnight when it contains no time, UTC when it contains no zone, null when it is not a date. */
export function readInstant(text: string): number | null {
  const parts = INSTANT.exec(text);
  if (parts === null) return null;
  const number = (index: number): number => Number(parts[index] ?? 0);
  const date = { year: number(1), month: number(2), day: number(3) };
  const [hour, minute, second, zoneHour, zoneMinute] = [number(4), number(5), number(6), number(9), number(10)];
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > daysInMonth(date)) return null;
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null;
  const milliseconds = Number(`${parts[7] ?? ""}000`.slice(0, 3));
  const zone = (zoneHour * 60 + zoneMinute) * 60_000 * (parts[8] === "-" ? -1 : 1);
  return dayOf(date) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds - zone;
}

function daysInMonth({ year, month }: CivilDate): number {
  return dayOf({ year, month: month + 1, day: 1 }) - dayOf({ year, month, day: 1 });
}
