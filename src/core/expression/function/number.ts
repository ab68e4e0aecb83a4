import { isJsonArray, type Json } from "../../base/index.ts";
import { ANY, NUMBER, type Known } from "../known.ts";
import type { Call } from "./call.ts";
import { type FunctionEntry, list, number, oneOf, optional, rest, value } from "./function.ts";

const DIGITS_MAX = 15;
/** From this size on, a number has no fraction to round. */
const WHOLE_FROM = 2 ** 53;

/** Returns a number that JSON can represent, else undefined. No other number becomes a value. */
export function finite(result: number): number | undefined {
  if (!Number.isFinite(result)) return undefined;
  // JSON has no negative zero.
  return result === 0 ? 0 : result;
}

function settled(call: Call, result: number): number {
  const fine = finite(result);
  if (fine === undefined) throw call.kindFault("the result is too large for a number");
  return fine;
}

/** Rounds half away from zero in decimal: 1.005 becomes 1.01, although its binary form is slightly smaller. */
function roundTo(given: number, digits: number): number {
  const size = Math.abs(given);
  if (size >= WHOLE_FROM) return given;
  const rounded = digits === 0 ? Math.round(size) : shifted(Math.round(shifted(size, digits)), -digits);
  return given < 0 ? -rounded : rounded;
}

function shifted(size: number, digits: number): number {
  const [mantissa, exponent] = String(size).split("e");
  return Number(`${mantissa}e${Number(exponent ?? 0) + digits}`);
}

function runRound(call: Call): number {
  const digits = call.whole(1, 0);
  if (digits < 0 || digits > DIGITS_MAX) throw call.kindFault(`round keeps 0 to ${DIGITS_MAX} digits`, 1);
  return settled(call, roundTo(call.number(0), digits));
}

/** Returns a list after checking that all its elements are numbers. */
function numbersOf(call: Call): readonly number[] {
  const numbers = call.list(0);
  call.meter.elements(numbers.length);
  const odd = numbers.findIndex((item) => typeof item !== "number");
  if (odd !== -1) throw call.kindFault(`${call.name(0)} has numbers as elements, but element [${odd}] is none`, 0);
  return numbers as readonly number[];
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0;
  for (const item of numbers) sum += item;
  return sum;
}

/** Returns the smallest or largest value of a list or of the arguments. Null when there are none. */
function extreme(isBefore: (one: number | string, other: number | string) => boolean): FunctionEntry["run"] {
  return (call) => {
    const single = call.count === 1 ? call.value(0) : undefined;
    const given: readonly (Json | undefined)[] = isJsonArray(single) ? single : call.from(0);
    call.meter.elements(given.length);
    let best: number | string | null = null;
    for (const item of given) {
      if (typeof item !== "number" && typeof item !== "string") throw call.kindFault(mixed(given.indexOf(item)));
      if (best !== null && typeof best !== typeof item) throw call.kindFault(mixed(given.indexOf(item)));
      if (typeof item === "string") call.meter.characters(item.length);
      if (best === null || isBefore(item, best)) best = item;
    }
    return best;
  };
}

function mixed(index: number): string {
  return `numbers compare with numbers and texts with texts, but value ${index + 1} is something else`;
}

const PLAIN_DECIMAL = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/;

function runNumber(call: Call): number {
  if (typeof call.value(0) === "number") return call.number(0);
  const written = call.text(0).trim();
  call.meter.characters(written.length);
  if (!PLAIN_DECIMAL.test(written)) throw call.kindFault(`${call.name(0)} is text that is not a plain number`, 0);
  return settled(call, Number(written));
}

const extremeOf = ([first]: readonly Known[]): Known => {
  if (first?.kind === "list") return first.items.kind === "number" || first.items.kind === "text" ? first.items : ANY;
  return first ?? ANY;
};

export const NUMBER_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "round",
    parameters: [number(), optional(number("digits"))],
    about: "Rounded to a whole number, or to so many digits behind the point; half goes away from zero.",
    example: "round(2.345, 2)",
    gives: 2.35,
    result: NUMBER,
    run: runRound,
  },
  {
    name: "floor",
    parameters: [number()],
    about: "The next whole number below.",
    example: "floor(-1.5)",
    gives: -2,
    result: NUMBER,
    run: (call) => settled(call, Math.floor(call.number(0))),
  },
  {
    name: "ceil",
    parameters: [number()],
    about: "The next whole number above.",
    example: "ceil(1.2)",
    gives: 2,
    result: NUMBER,
    run: (call) => settled(call, Math.ceil(call.number(0))),
  },
  {
    name: "abs",
    parameters: [number()],
    about: "The number without its sign.",
    example: "abs(-3)",
    gives: 3,
    result: NUMBER,
    run: (call) => Math.abs(call.number(0)),
  },
  {
    name: "min",
    parameters: [value("list or values"), rest(value("value"))],
    about: "The smallest number, or the first text in order, of a list or of the arguments; null of an empty list.",
    example: "min([3, 1, 2])",
    gives: 1,
    result: extremeOf,
    run: extreme((one, other) => one < other),
  },
  {
    name: "max",
    parameters: [value("list or values"), rest(value("value"))],
    about: "The largest number, or the last text in order, of a list or of the arguments; null of an empty list.",
    example: "max(3, 10, 2)",
    gives: 10,
    result: extremeOf,
    run: extreme((one, other) => one > other),
  },
  {
    name: "sum",
    parameters: [list()],
    about: "All numbers of the list added; 0 of an empty list.",
    example: "sum([1, 2, 3.5])",
    gives: 6.5,
    result: NUMBER,
    run: (call) => settled(call, sumOf(numbersOf(call))),
  },
  {
    name: "avg",
    parameters: [list()],
    about: "The mean of the numbers of the list; null of an empty list.",
    example: "avg([1, 2, 6])",
    gives: 3,
    result: ANY,
    run: (call) => {
      const numbers = numbersOf(call);
      return numbers.length === 0 ? null : settled(call, sumOf(numbers) / numbers.length);
    },
  },
  {
    name: "number",
    parameters: [oneOf("value", "number", "text")],
    about: "The number a text spells in plain decimals; numbers stay.",
    example: "number(' 12.50 ')",
    gives: 12.5,
    result: NUMBER,
    run: runNumber,
  },
];
