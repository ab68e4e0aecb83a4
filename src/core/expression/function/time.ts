import { DAY_MS, didYouMean } from "../../base/index.ts";
import { NUMBER, TEXT } from "../known.ts";
import type { Call } from "./call.ts";
import { formatMoment, parseMoment } from "./date-format.ts";
import { type FunctionEntry, oneOf, optional, text } from "./function.ts";
import {
  epochOf,
  HOUR_MS,
  inZone,
  isWritable,
  later,
  MINUTE_MS,
  type Moment,
  momentText,
  monthsLater,
  readMoment,
  UTC,
  zoneOf,
} from "./moment.ts";

/** A unit of time: a number of milliseconds, or a number of months, which differ in length. */
type Unit = { readonly ms: number } | { readonly months: number };

const UNITS: ReadonlyMap<string, Unit> = new Map<string, Unit>(
  (
    [
      [["ms", "millisecond", "milliseconds"], { ms: 1 }],
      [["s", "second", "seconds"], { ms: 1_000 }],
      [["m", "minute", "minutes"], { ms: MINUTE_MS }],
      [["h", "hour", "hours"], { ms: HOUR_MS }],
      [["d", "day", "days"], { ms: DAY_MS }],
      [["w", "week", "weeks"], { ms: 7 * DAY_MS }],
      [["month", "months"], { months: 1 }],
      [["year", "years"], { months: 12 }],
    ] as const
  ).flatMap(([names, unit]) => names.map((name): [string, Unit] => [name, unit])),
);
const UNIT_LIST = "seconds, minutes, hours, days, weeks, months or years";
const SPAN = /^([+-]?\d+(?:\.\d+)?)\s*([a-z]+)$/;

function momentAt(call: Call, index: number): Moment {
  const moment = readMoment(call.text(index));
  if (moment !== undefined) return moment;
  const example = "2031-05-04 or 2031-05-04T10:00:00Z";
  throw call.kindFault(`${call.name(index)} is text that is no ISO date such as ${example}`, index);
}

function unitAt(call: Call, index: number, name: string): Unit {
  const unit = UNITS.get(name);
  if (unit !== undefined) return unit;
  const near = didYouMean(name, UNITS.keys());
  throw call.kindFault(
    `a unit is ${UNIT_LIST}, and ${call.name(index)} is none${near === undefined ? "" : `. ${near}`}`,
    index,
  );
}

/** Reads a time span: `3, 'days'` or `'3d'`. */
function spanAt(call: Call): { readonly amount: number; readonly unit: Unit } {
  const given = call.value(1);
  if (typeof given === "number") {
    if (call.count < 3) throw call.kindFault(`date_add takes a unit, such as 'days', behind a number`, 1);
    return { amount: given, unit: unitAt(call, 2, call.text(2)) };
  }
  const [, amount, unit] = SPAN.exec(call.text(1).trim()) ?? [];
  if (amount !== undefined && unit !== undefined && call.count === 2) {
    return { amount: Number(amount), unit: unitAt(call, 1, unit) };
  }
  throw call.kindFault(`date_add takes a number and a unit, or a text such as '90s', '15m', '2h' or '3d'`, 1);
}

function written(call: Call, moment: Moment): string {
  if (isWritable(moment)) return momentText(moment);
  throw call.kindFault("the date lies outside the years 0 to 9999");
}

function runAdd(call: Call): string {
  const moment = momentAt(call, 0);
  const { amount, unit } = spanAt(call);
  if ("ms" in unit) return written(call, later(moment, Math.round(amount * unit.ms)));
  if (!Number.isSafeInteger(amount)) throw call.kindFault("months and years are added in whole numbers", 1);
  return written(call, monthsLater(moment, amount * unit.months));
}

function runDiff(call: Call): number {
  const from = momentAt(call, 0);
  const to = momentAt(call, 1);
  const unit = call.count > 2 ? unitAt(call, 2, call.text(2)) : { ms: 1_000 };
  if ("ms" in unit) return (epochOf(to) - epochOf(from)) / unit.ms || 0;
  return Math.trunc(monthsBetween(from, to) / unit.months) || 0;
}

/** Returns the number of whole months, rounded towards zero. */
function monthsBetween(from: Moment, to: Moment): number {
  const target = epochOf(to);
  const isForward = target >= epochOf(from);
  // The estimate is at most one month too large.
  let months = Math.round((target - epochOf(from)) / DAY_MS / 30.436875);
  const isBeyond = (): boolean => {
    const reached = epochOf(monthsLater(from, months));
    return isForward ? reached > target : reached < target;
  };
  months += isForward ? 2 : -2;
  while (isBeyond()) months += isForward ? -1 : 1;
  return months;
}

function runFormat(call: Call): string {
  const zone = call.count > 2 ? zoneOf(call.text(2)) : null;
  if (zone === undefined) throw call.kindFault(`${call.name(2)} is no offset such as +02:00 or Z`, 2);
  const moment = momentAt(call, 0);
  call.makeText(call.text(1).length * 3);
  return formatMoment(zone === null ? moment : inZone(moment, zone), call.text(1));
}

function runParse(call: Call): string {
  if (call.count === 1) {
    const moment = momentAt(call, 0);
    return written(call, moment.zone === null ? moment : inZone(moment, UTC));
  }
  call.makeText(call.text(0).length + call.text(1).length);
  const moment = parseMoment(call.text(0), call.text(1));
  if (moment === undefined) throw call.kindFault(`${call.name(0)} is text that is no date in this format`, 0);
  return written(call, moment);
}

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "date_add",
    parameters: [text("date"), oneOf("amount", "number", "text"), optional(text("unit"))],
    about: `A date so much later, or earlier: a number and a unit (${UNIT_LIST}), or a text such as '3d'.`,
    example: "date_add('2031-01-31', 1, 'month')",
    gives: "2031-02-28",
    result: TEXT,
    run: runAdd,
  },
  {
    name: "date_diff",
    parameters: [text("from"), text("to"), optional(text("unit"))],
    about: "How much time lies between two dates, in seconds or another unit; months and years are whole.",
    example: "date_diff('2031-05-01', '2031-05-04T12:00:00Z', 'days')",
    gives: 3.5,
    result: NUMBER,
    run: runDiff,
  },
  {
    name: "date_format",
    parameters: [text("date"), text("format"), optional(text("offset"))],
    about:
      "A date in a format of YYYY YY MMMM MMM MM M DD D dddd ddd HH H mm m ss s SSS Z, with text in [brackets]; with an offset such as +02:00, as clocks there show it.",
    example: "date_format('2031-05-04T09:05:00Z', 'D MMM YYYY, HH:mm', '+02:00')",
    gives: "4 May 2031, 11:05",
    result: TEXT,
    run: runFormat,
  },
  {
    name: "date_parse",
    parameters: [text(), optional(text("format"))],
    about: "The ISO text, in UTC, of a date that is written in another format, or in ISO form with an offset.",
    example: "date_parse('04.05.2031', 'DD.MM.YYYY')",
    gives: "2031-05-04",
    result: TEXT,
    run: runParse,
  },
];
