import { countCodePoints, getOwn, isJsonArray, isJsonObject, type Json } from "../base/index.ts";

/**
 * What lies at the end of a path, or `undefined` for missing. Only own properties count, so `constructor` and
 * `__proto__` lead nowhere. `.length` counts the elements of a list and the code points of a text, as `minLength`
 * does; an object's own key `length` is that key.
 */
export function walk(value: Json | undefined, rest: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const segment of rest) {
    here = stepInto(here, segment);
    if (here === undefined) return undefined;
  }
  return here;
}

function stepInto(value: Json | undefined, segment: string | number): Json | undefined {
  if (isJsonArray(value)) {
    if (typeof segment === "number") return value[segment];
    return segment === "length" ? value.length : undefined;
  }
  if (isJsonObject(value)) return typeof segment === "string" ? getOwn(value, segment) : undefined;
  return typeof value === "string" && segment === "length" ? countCodePoints(value) : undefined;
}
