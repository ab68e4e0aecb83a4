import { type CivilDate, DAY_MS, dateOf, dateText, dayOf } from "../../base/index.ts";

/** A date, or a date with a time of day, read from an ISO text. Without a zone it is in UTC. */
export interface Moment {
  /** Days since 1970-01-01, in the zone of the text. */
  readonly day: number;
  /** Milliseconds since the start of that day. */
  readonly ms: number;
  /** Null for a date without a time of day. */
  readonly zone: Zone | null;
  /** True when the text contains fractions of a second. */
  readonly isFine: boolean;
}

export interface Zone {
  /** The zone as written after the time: `Z`, `+02:00`, or empty. */
  readonly text: string;
  readonly offsetMs: number;
}

export const UTC: Zone = { text: "Z", offsetMs: 0 };
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const ZONE = /^([+-])(\d\d):?(\d\d)?$/;

export function readMoment(text: string): Moment | undefined {
  const [, year, month, day, hour, minute, second, fraction, zone] = ISO.exec(text) ?? [];
  const date = validDay({ year: Number(year), month: Number(month), day: Number(day) });
  if (date === undefined) return undefined;
  if (hour === undefined) return { day: date, ms: 0, zone: null, isFine: false };
  const ms = validTime(Number(hour), Number(minute), Number(second ?? 0), Number(`${fraction ?? "0"}00`.slice(0, 3)));
  const readZone = zone === undefined ? { text: "", offsetMs: 0 } : zoneOf(zone);
  if (ms === undefined || readZone === undefined) return undefined;
  return { day: date, ms, zone: readZone, isFine: fraction !== undefined };
}

/** Returns the day number of a date. Undefined when the date does not exist, such as the 30th of February. */
export function validDay(date: CivilDate): number | undefined {
  const { year, month, day } = date;
  if (!(month >= 1 && month <= 12 && day >= 1 && year >= 0)) return undefined;
  return day <= daysIn(year, month) ? dayOf(date) : undefined;
}

export function daysIn(year: number, month: number): number {
  return dayOf({ year, month: month + 1, day: 1 }) - dayOf({ year, month, day: 1 });
}

export function validTime(hour: number, minute: number, second: number, ms: number): number | undefined {
  if (!(hour < 24 && minute < 60 && second < 60)) return undefined;
  return hour * HOUR_MS + minute * MINUTE_MS + second * 1_000 + ms;
}

export function zoneOf(text: string): Zone | undefined {
  if (text === "Z") return UTC;
  const [, sign, hours, minutes] = ZONE.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 23 || Number(minutes ?? 0) > 59) return undefined;
  const size = Number(hours) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS;
  return { text, offsetMs: sign === "-" ? -size : size };
}

/** Parses an ISO text into milliseconds since 1970 in UTC. Undefined when the text is not a date. */
export function instantOf(text: string): number | undefined {
  const moment = readMoment(text);
  return moment === undefined ? undefined : epochOf(moment);
}

/** Returns milliseconds since 1970 in UTC. */
export function epochOf({ day, ms, zone }: Moment): number {
  return day * DAY_MS + ms - (zone?.offsetMs ?? 0);
}

/** Returns the same instant in another zone. */
export function inZone(moment: Moment, zone: Zone): Moment {
  const local = epochOf(moment) + zone.offsetMs;
  const day = Math.floor(local / DAY_MS);
  return { day, ms: local - day * DAY_MS, zone, isFine: moment.isFine };
}

/** Returns the time a number of milliseconds later, in the same zone. */
export function later(moment: Moment, ms: number): Moment {
  const total = moment.day * DAY_MS + moment.ms + ms;
  const day = Math.floor(total / DAY_MS);
  const rest = total - day * DAY_MS;
  // A date that is moved by hours becomes a date with a time of day.
  const zone = moment.zone ?? (rest === 0 ? null : UTC);
  return { ...moment, day, ms: rest, zone };
}

/** Adds months. A day that the target month does not have becomes the last day of that month. */
export function monthsLater(moment: Moment, months: number): Moment {
  const { year, month, day } = dateOf(moment.day);
  const count = year * 12 + (month - 1) + months;
  const target = { year: Math.floor(count / 12), month: (((count % 12) + 12) % 12) + 1 };
  return { ...moment, day: dayOf({ ...target, day: Math.min(day, daysIn(target.year, target.month)) }) };
}

/** Checks that the year has at most four digits. Other years cannot be written. */
export function isWritable({ day }: Moment): boolean {
  const { year } = dateOf(day);
  return year >= 0 && year <= 9_999;
}

/** Returns the ISO text, in the form in which the moment was written. */
export function momentText(moment: Moment): string {
  const date = dateText(dateOf(moment.day));
  if (moment.zone === null) return date;
  const { hour, minute, second, ms } = clockOf(moment);
  const fraction = moment.isFine || ms > 0 ? `.${digits(ms, 3)}` : "";
  return `${date}T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}${fraction}${moment.zone.text}`;
}

export function clockOf({ ms }: Moment): { hour: number; minute: number; second: number; ms: number } {
  return {
    hour: Math.floor(ms / HOUR_MS),
    minute: Math.floor(ms / MINUTE_MS) % 60,
    second: Math.floor(ms / 1_000) % 60,
    ms: ms % 1_000,
  };
}

export function digits(number: number, width: number): string {
  return String(number).padStart(width, "0");
}
