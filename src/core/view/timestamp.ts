import { invariant } from "../base/index.ts";

const DAY_MS = 86_400_000;
/** The furthest moment a JavaScript date can name, either way. */
const EPOCH_MS_MAX = 8_640_000_000_000_000;

/** ISO 8601 in UTC with milliseconds, by arithmetic alone: the core knows no clock and no calendar of the machine. */
export function isoFromEpochMs(epochMs: number): string {
  invariant(Number.isInteger(epochMs) && Math.abs(epochMs) <= EPOCH_MS_MAX, `${epochMs} is a moment in milliseconds`);
  const days = Math.floor(epochMs / DAY_MS);
  const ms = epochMs - days * DAY_MS;
  const { year, month, day } = civilFromDays(days);
  const date = `${yearText(year)}-${pad(month, 2)}-${pad(day, 2)}`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = Math.floor(ms / 1_000) % 60;
  return `${date}T${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(ms % 1_000, 3)}Z`;
}

const ISO = /^(\d{4}|[+-]\d{6})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?Z$/;

/** The way back; null for anything that `isoFromEpochMs` would not write (milliseconds may be left out). */
export function epochMsFromIso(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const epochMs =
    daysFromCivil(year, month, day) * DAY_MS + hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 + ms;
  if (Math.abs(epochMs) > EPOCH_MS_MAX) return null;
  // The 31st of February and 24:00 come out as another text.
  const written = isoFromEpochMs(epochMs);
  return written === text || written.replace(".000Z", "Z") === text ? epochMs : null;
}

/** Days since 1970 to a date, in eras of 400 years that start on the 1st of March, where leap days come last. */
function civilFromDays(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return pad(year, 4);
  return `${year < 0 ? "-" : "+"}${pad(Math.abs(year), 6)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
