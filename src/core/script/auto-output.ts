import { digestText, getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import { samplePattern } from "./pattern-sample.ts";

/** Maximum length of a generated text. A contract that requires a longer one receives this length. */
const TEXT_LENGTH_MAX = 1_000_000;
const LIST_LENGTH = 2;

/**
 * Generates outputs that satisfy a JSON Schema as sent to adapters, from the seed text alone: the first member of an enum,
 * true, numbers inside their bounds, texts of a suitable length.
 */
export function makeOutputs(schema: JsonObject, seed: string): JsonObject {
  const properties = getOwn(schema, "properties");
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      makeValue(isJsonObject(field) ? field : {}, name, `${seed}/${name}`),
    ]),
  );
}

function makeValue(schema: JsonObject, name: string, seed: string): Json {
  const members = getOwn(schema, "enum");
  if (isJsonArray(members) && members[0] !== undefined) return members[0];
  const type = getOwn(schema, "type");
  switch (isJsonArray(type) ? type[0] : type) {
    case "boolean":
      return true;
    case "integer":
      return makeNumber(schema, seed, true);
    case "number":
      return makeNumber(schema, seed, false);
    case "array":
      return makeList(schema, name, seed);
    case "object":
      return isJsonObject(getOwn(schema, "properties"))
        ? makeOutputs(schema, seed)
        : { note: makeText({}, name, seed) };
    default:
      return makeText(schema, name, seed);
  }
}

function makeList(schema: JsonObject, name: string, seed: string): Json {
  const items = getOwn(schema, "items");
  const field = isJsonObject(items) ? items : {};
  const atLeast = Math.max(LIST_LENGTH, numberOf(schema, "minItems") ?? 0);
  const length = Math.min(atLeast, numberOf(schema, "maxItems") ?? atLeast);
  return Array.from({ length }, (_, index) => makeValue(field, name, `${seed}/${index}`));
}

function makeNumber(schema: JsonObject, seed: string, isInteger: boolean): number {
  const minimum = numberOf(schema, "minimum");
  const maximum = numberOf(schema, "maximum");
  const low = Math.ceil(minimum ?? (maximum === undefined ? 1 : maximum - 99));
  const high = Math.floor(maximum ?? low + 99);
  // No whole number lies between the bounds, so only a fraction satisfies them.
  if (low > high) return isInteger ? low : (minimum ?? maximum ?? 0);
  return low + (chance(seed) % (Math.min(high - low, 1_000_000) + 1));
}

function makeText(schema: JsonObject, name: string, seed: string): string {
  const shortest = Math.min(numberOf(schema, "minLength") ?? 0, TEXT_LENGTH_MAX);
  const longest = numberOf(schema, "maxLength") ?? TEXT_LENGTH_MAX;
  const pattern = getOwn(schema, "pattern");
  if (typeof pattern === "string") {
    const sample = samplePattern(pattern, shortest, longest);
    if (sample !== undefined) return sample;
  }
  if (getOwn(schema, "format") === "uri") return `https://example.org/${encodeURIComponent(name)}`;
  const text = `${name} ${chance(seed).toString(16).padStart(8, "0")}`;
  return text.padEnd(shortest, ".").slice(0, longest);
}

function numberOf(schema: JsonObject, key: string): number | undefined {
  const value = getOwn(schema, key);
  return typeof value === "number" ? value : undefined;
}

/** Returns a 32-bit number that depends only on the text. */
export function chance(seed: string): number {
  return Number.parseInt(digestText(seed).slice(-8), 16);
}
