/** A date of the Gregorian calendar in UTC, computed with integers only, because core must not use the clock. */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

export const DAY_MS = 86_400_000;

const DAYS_PER_ERA = 146_097;
const DAYS_TO_EPOCH = 719_468;

/*
 * Years are counted from 1 March, so that the leap day is the last day of a year, and in eras of 400 years, after which
 * the calendar repeats.
 */

/** Returns days since 1970-01-01. Month 13 is January of the next year. */
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

/** Returns text such as `2031-05-04`. Years of more than four digits have six digits and a sign, as in ISO 8601. */
export function dateText({ year, month, day }: CivilDate): string {
  const isPlain = year >= 0 && year <= 9_999;
  const years = isPlain ? pad(year, 4) : `${year < 0 ? "-" : "+"}${pad(Math.abs(year), 6)}`;
  return `${years}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Formats an instant, in milliseconds since 1970, in UTC: `2031-05-04T10:00:00.000Z`. */
export function instantText(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const rest = ms - day * DAY_MS;
  const clock = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60, Math.floor(rest / 1_000) % 60];
  return `${dateText(dateOf(day))}T${clock.map((part) => pad(part, 2)).join(":")}.${pad(Math.floor(rest % 1_000), 3)}Z`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
