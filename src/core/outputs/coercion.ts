import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { FieldType } from "../definition/index.ts";
import { isTooDeep } from "./depth.ts";

/** Digits with an optional sign and fraction. No hex, exponent or separators. */
const PLAIN_DECIMAL = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/;

/** Keys under which models put a boolean when they answer with an object, in order of preference. */
const BOOLEAN_KEYS = ["result", "value", "verified", "passed", "status"] as const;

/** Converts a value to the declared type where a conversion is documented. Returns any other value unchanged. */
export function coerceValue(field: { readonly type: FieldType }, value: Json): Json {
  if (value === null) return value;
  switch (field.type) {
    case "string":
      return toText(value);
    case "number":
      return typeof value === "string" ? (decimalOf(value) ?? value) : value;
    case "integer":
      return toInteger(value);
    case "boolean":
      return toBoolean(value) ?? value;
    case "array":
      return isJsonArray(value) ? value : [value];
    case "object":
    case "file":
      return value;
  }
}

function toText(value: Json): Json {
  if (typeof value === "string") return value;
  if (typeof value === "number" && !Number.isFinite(value)) return value;
  return isTooDeep(value) ? value : JSON.stringify(value);
}

function toInteger(value: Json): Json {
  const number = typeof value === "string" ? decimalOf(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return value;
  return withoutNegativeZero(Math.sign(number) * Math.round(Math.abs(number)));
}

function toBoolean(value: Json): boolean | undefined {
  if (isJsonObject(value)) return booleanInside(value);
  return booleanOf(value);
}

function booleanInside(value: JsonObject): boolean | undefined {
  for (const key of BOOLEAN_KEYS) {
    const found = booleanOf(getOwn(value, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function booleanOf(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (word === "true" || word === "yes") return true;
  return word === "false" || word === "no" ? false : undefined;
}

function decimalOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (!PLAIN_DECIMAL.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? withoutNegativeZero(number) : undefined;
}

/** JSON has no negative zero, so a stored one would be read back as a different value. */
function withoutNegativeZero(number: number): number {
  return number === 0 ? 0 : number;
}
