/** Plain data, the only kind of value that crosses a border or enters state. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Own properties only: a path written by an author must never reach `constructor` or `__proto__`. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A new object with one key set, safe for any key (assignment to `__proto__` would not be). */
export function withOwn(object: JsonObject, key: string, value: Json): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]]);
}

/** RFC 8785 form: keys in code-unit order, no white space. The basis of every digest. */
export function canonicalJson(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort(compareCodeUnits)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}

/** The project's only order for text: by code unit, so that no locale can change a log. */
export function compareCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** How a value reads inside a text: text as it is, nothing as '', everything else as JSON. */
export function jsonToText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
