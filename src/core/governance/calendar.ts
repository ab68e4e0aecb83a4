/** Dates of the Gregorian calendar in UTC, counted in whole numbers: core knows no clock, and needs none for this. */
export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const DAYS_PER_ERA = 146_097;
const DAYS_TO_EPOCH = 719_468;

/*
 * Years are counted from the 1st of March, so that the leap day ends a year, and in eras of 400 years, after which
 * the calendar repeats itself.
 */

/** Days since 1970-01-01. Month 13 is January of the next year. */
export function dayOf({ year, month, day }: CivilDate): number {
  const marchYear = year + Math.floor((month - 3) / 12);
  const marchMonth = (month + 9) % 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
}

export function dateOf(dayNumber: number): CivilDate {
  const shifted = dayNumber + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leaps = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** `2031-05-04T10:00:00Z`, to the second. */
export function instantText(at: number): string {
  if (!Number.isFinite(at)) return "an unknown time";
  const { year, month, day } = dateOf(Math.floor(at / DAY_MS));
  const seconds = Math.floor((at - Math.floor(at / DAY_MS) * DAY_MS) / 1_000);
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(":");
  return `${yearText(year)}-${twoDigits(month)}-${twoDigits(day)}T${clock}Z`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/;

/** Epoch milliseconds of a date, midnight UTC when it names no time, UTC when it names no zone; null when it is none. */
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
