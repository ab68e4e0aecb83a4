import { fail, type Outcome, succeed } from "../core/base/index.ts";

/** The times of a cron expression. Every list is ascending; days of the week count from Sunday, 0. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** True when both days of the month and of the week are restricted: then either one suffices, as in cron. */
  readonly isEitherDay: boolean;
}

interface Part {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly words: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const MINUTE: Part = { title: "minute", min: 0, max: 59, words: [] };
const HOUR: Part = { title: "hour", min: 0, max: 23, words: [] };
const DAY: Part = { title: "day of the month", min: 1, max: 31, words: [] };
const MONTH: Part = { title: "month", min: 1, max: 12, words: MONTHS };
const WEEKDAY: Part = { title: "day of the week", min: 0, max: 7, words: WEEKDAYS };

const WORDS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const LENGTH_MAX = 256;

/** Parses five parts: minute, hour, day of the month, month, day of the week. The failure is a sentence about the mistake. */
export function parseCron(text: string): Outcome<Cron, string> {
  if (text.length > LENGTH_MAX) return fail(`it has more than ${LENGTH_MAX} characters`);
  const written = (WORDS.get(text.trim().toLowerCase()) ?? text).trim().split(/\s+/);
  if (written.length !== 5) return fail(`it has ${text.trim() === "" ? 0 : written.length} parts instead of 5`);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = written;
  const parsed = [
    parsePart(minute, MINUTE),
    parsePart(hour, HOUR),
    parsePart(day, DAY),
    parsePart(month, MONTH),
    parsePart(weekday, WEEKDAY),
  ];
  const lists: (readonly number[])[] = [];
  for (const part of parsed) {
    if (!part.ok) return part;
    lists.push(part.value);
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = lists;
  const isEitherDay = !day.startsWith("*") && !weekday.startsWith("*");
  return succeed({ minutes, hours, days, months, weekdays: sorted(weekdays.map((one) => one % 7)), isEitherDay });
}

function parsePart(text: string, part: Part): Outcome<readonly number[], string> {
  const found: number[] = [];
  for (const range of text.split(",")) {
    const values = parseRange(range.toLowerCase(), part);
    if (values === undefined) {
      return fail(`${JSON.stringify(range)} is no ${part.title}, which is ${part.min} to ${part.max}`);
    }
    found.push(...values);
  }
  return succeed(sorted(found));
}

const RANGE = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/;

function parseRange(range: string, part: Part): readonly number[] | undefined {
  const [, first = "", last, every] = RANGE.exec(range) ?? [];
  const isAll = first === "*";
  const from = isAll ? part.min : valueOf(first, part);
  // `5/10` continues to the end, as `5-59/10` does.
  const to = last !== undefined ? valueOf(last, part) : isAll || every !== undefined ? part.max : from;
  const step = every === undefined ? 1 : Number(every);
  if (from === undefined || to === undefined || from > to || step < 1 || (isAll && last !== undefined))
    return undefined;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function valueOf(text: string, { min, max, words }: Part): number | undefined {
  const word = words.indexOf(text);
  if (word >= 0) return word + (words === MONTHS ? 1 : 0);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((left, right) => left - right);
}
