import { dateOf } from "../../base/index.ts";
import { clockOf, digits, inZone, type Moment, UTC, validDay, validTime, type Zone, zoneOf } from "./moment.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** Format tokens, longer ones first. Anything in brackets, and anything else, is plain text. */
const PARTS = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|mm|m|ss|s|SSS|Z/g;

type Part = { readonly token: string } | { readonly text: string };

function partsOf(format: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of format.matchAll(PARTS)) {
    if (match.index > from) parts.push({ text: format.slice(from, match.index) });
    const [written, quoted] = match;
    parts.push(quoted === undefined ? { token: written } : { text: quoted });
    from = match.index + written.length;
  }
  if (from < format.length) parts.push({ text: format.slice(from) });
  return parts;
}

export function formatMoment(moment: Moment, format: string): string {
  const { year, month, day } = dateOf(moment.day);
  const { hour, minute, second, ms } = clockOf(moment);
  const monthName = MONTHS[month - 1] ?? "";
  const weekday = WEEKDAYS[(((moment.day + FIRST_WEEKDAY) % 7) + 7) % 7] ?? "";
  const values: Readonly<Record<string, string>> = {
    YYYY: digits(year, 4),
    YY: digits(year % 100, 2),
    MMMM: monthName,
    MMM: monthName.slice(0, 3),
    MM: digits(month, 2),
    M: String(month),
    DD: digits(day, 2),
    D: String(day),
    dddd: weekday,
    ddd: weekday.slice(0, 3),
    HH: digits(hour, 2),
    H: String(hour),
    mm: digits(minute, 2),
    m: String(minute),
    ss: digits(second, 2),
    s: String(second),
    SSS: digits(ms, 3),
    Z: moment.zone?.text === undefined || moment.zone.text === "" ? "Z" : moment.zone.text,
  };
  let text = "";
  for (const part of partsOf(format)) text += "text" in part ? part.text : (values[part.token] ?? "");
  return text;
}

/** The pattern that reads each token. */
const READERS: Readonly<Record<string, RegExp>> = {
  YYYY: /\d{4}/y,
  YY: /\d\d/y,
  MMMM: /[A-Za-z]+/y,
  MMM: /[A-Za-z]{3}/y,
  MM: /\d\d/y,
  M: /\d\d?/y,
  DD: /\d\d/y,
  D: /\d\d?/y,
  dddd: /[A-Za-z]+/y,
  ddd: /[A-Za-z]{3}/y,
  HH: /\d\d/y,
  H: /\d\d?/y,
  mm: /\d\d/y,
  m: /\d\d?/y,
  ss: /\d\d/y,
  s: /\d\d?/y,
  SSS: /\d{3}/y,
  Z: /Z|[+-]\d\d:?\d\d/y,
};

/** Parses a text in this format, in UTC. Undefined when the text does not fit the format or the date does not exist. */
export function parseMoment(text: string, format: string): Moment | undefined {
  const found = new Map<string, string>();
  let at = 0;
  for (const part of partsOf(format)) {
    if ("text" in part) {
      if (!text.startsWith(part.text, at)) return undefined;
      at += part.text.length;
      continue;
    }
    const reader = READERS[part.token];
    if (reader === undefined) return undefined;
    reader.lastIndex = at;
    const written = reader.exec(text)?.[0];
    if (written === undefined) return undefined;
    found.set(part.token, written);
    at += written.length;
  }
  return at === text.length ? momentOf(found) : undefined;
}

function momentOf(found: ReadonlyMap<string, string>): Moment | undefined {
  const number = (otherwise: number, ...tokens: readonly string[]): number => {
    const written = tokens.map((token) => found.get(token)).find((value) => value !== undefined);
    return written === undefined ? otherwise : Number(written);
  };
  const short = found.get("YY");
  const year = number(short === undefined ? Number.NaN : 2_000 + Number(short), "YYYY");
  const month = monthNamed(found.get("MMMM") ?? found.get("MMM")) ?? number(1, "MM", "M");
  const day = validDay({ year, month, day: number(1, "DD", "D") });
  const ms = validTime(number(0, "HH", "H"), number(0, "mm", "m"), number(0, "ss", "s"), number(0, "SSS"));
  const zone = zoneOf(found.get("Z") ?? "Z");
  if (day === undefined || ms === undefined || zone === undefined) return undefined;
  const isTimed = ["HH", "H", "mm", "m", "ss", "s", "SSS"].some((token) => found.has(token));
  return isTimed ? inUtc(day, ms, zone, found.has("SSS")) : { day, ms: 0, zone: null, isFine: false };
}

function inUtc(day: number, ms: number, zone: Zone, isFine: boolean): Moment {
  return inZone({ day, ms, zone, isFine }, UTC);
}

/** Finds a month by its first three letters, which are unique. Undefined when no name is given or none matches. */
function monthNamed(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase();
  const index = MONTHS.findIndex((month) => {
    const known = month.toLowerCase();
    return known === wanted || known.slice(0, 3) === wanted;
  });
  return index === -1 ? Number.NaN : index + 1;
}
