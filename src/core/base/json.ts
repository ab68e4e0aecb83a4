/** Plain data: the only kind of value that crosses a boundary or enters state. */
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

/** Reads own properties only, so that a path written by an author never reaches `constructor` or `__proto__`. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns a new object with one key set. Safe for any key, unlike an assignment to `__proto__`. */
export function withOwn(object: JsonObject, key: string, value: Json): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]]);
}

/** Returns the RFC 8785 form: keys in code-unit order, no white space. Every digest is computed over this form. */
export function canonicalJson(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort(compareCodeUnits)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}

/** Compares texts by code unit. It is the only order used for text, so that no locale can change a log. */
export function compareCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** Converts a value for use inside a text: text as it is, a missing value or null as '', everything else as JSON. */
export function jsonToText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
