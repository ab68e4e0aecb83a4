import { type CivilDate, DAY_MS, dateOf, dateText, dayOf } from "../../base/index.ts";

/** A date, or a date with a time of day, as an ISO text spells it: where it says nothing it means UTC. */
export interface Moment {
  /** Since 1970-01-01, where the text was written. */
  readonly day: number;
  /** Of that day. */
  readonly ms: number;
  /** Null: a date without a time of day. */
  readonly zone: Zone | null;
  /** Whether fractions of a second are written. */
  readonly isFine: boolean;
}

export interface Zone {
  /** As it is written behind the time: `Z`, `+02:00`, or nothing. */
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

/** The day when there is one: nothing for the 30th of February. */
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

/** Of an ISO text, in milliseconds since 1970 in UTC; nothing when it is none. */
export function instantOf(text: string): number | undefined {
  const moment = readMoment(text);
  return moment === undefined ? undefined : epochOf(moment);
}

/** Milliseconds since 1970 in UTC. */
export function epochOf({ day, ms, zone }: Moment): number {
  return day * DAY_MS + ms - (zone?.offsetMs ?? 0);
}

/** The same instant where the clocks show another time. */
export function inZone(moment: Moment, zone: Zone): Moment {
  const local = epochOf(moment) + zone.offsetMs;
  const day = Math.floor(local / DAY_MS);
  return { day, ms: local - day * DAY_MS, zone, isFine: moment.isFine };
}

/** A time that many milliseconds later, on the same clock. */
export function later(moment: Moment, ms: number): Moment {
  const total = moment.day * DAY_MS + moment.ms + ms;
  const day = Math.floor(total / DAY_MS);
  const rest = total - day * DAY_MS;
  // A date that is moved by hours becomes a date with a time.
  const zone = moment.zone ?? (rest === 0 ? null : UTC);
  return { ...moment, day, ms: rest, zone };
}

/** So many months later: the last day of a shorter month stands for days it does not have. */
export function monthsLater(moment: Moment, months: number): Moment {
  const { year, month, day } = dateOf(moment.day);
  const count = year * 12 + (month - 1) + months;
  const target = { year: Math.floor(count / 12), month: (((count % 12) + 12) % 12) + 1 };
  return { ...moment, day: dayOf({ ...target, day: Math.min(day, daysIn(target.year, target.month)) }) };
}

/** Years of four digits: what lies outside cannot be written. */
export function isWritable({ day }: Moment): boolean {
  const { year } = dateOf(day);
  return year >= 0 && year <= 9_999;
}

/** As ISO text in the form the moment was written in. */
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
