import { isJsonArray, isJsonObject, type Json, jsonToText } from "../../core/base/index.ts";
import { clockText, dollars, spanText } from "./figures.ts";

/** A fact of a verdict as text for people: money in dollars, times as times, lists on one line. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

export function factOf(key: string, value: Json): Fact {
  return { name: nameOf(key), text: textOf(key, value) };
}

/** Returns the name without its unit, which is shown with the figure: `spentMicros` → `spent`. */
function nameOf(key: string): string {
  const words = key.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return words.replace(/ (micros|ms)$/, "");
}

function textOf(key: string, value: Json): string {
  if (typeof value === "number") return figureOf(key, value);
  if (isJsonArray(value)) return value.map((item) => textOf(key, item)).join(", ");
  if (!isJsonObject(value)) return value === null ? "none" : jsonToText(value);
  return Object.entries(value)
    .map(([name, member]) => `${nameOf(name)} ${textOf(name, member)}`)
    .join(", ");
}

/** Smallest number that is read as milliseconds since 1970. All counts are far smaller. */
const MOMENT_MIN = 1e11;

function figureOf(key: string, value: number): string {
  if (key.endsWith("Micros")) return dollars(value);
  if (/(?:^|[a-z])Ms$/.test(key)) return spanText(value);
  if (value >= MOMENT_MIN && /(?:^at|At|Since|[uU]ntil)$/.test(key)) return clockText(value, true);
  return String(value);
}
