import { countCodePoints, getOwn, isJsonArray, isJsonObject, type Json } from "../base/index.ts";

/**
 * Returns the value at the end of a path, or `undefined` when it is missing. Only own properties count, so `constructor`
 * and
 * `__proto__` are missing. `.length` counts the elements of a list and the code points of a text, as `minLength`
 * does. An object's own key `length` is read as that key.
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
