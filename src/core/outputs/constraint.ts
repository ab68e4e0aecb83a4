import {
  countCodePoints,
  isFileValue,
  isJsonArray,
  isJsonObject,
  jsonToText,
  LIMITS,
  type Json,
} from "../base/index.ts";
import type { ContractError, FieldType, LensFieldType } from "../definition/index.ts";
import { matchMember } from "../expression/index.ts";
import { compilePattern } from "../text/index.ts";
import { isTooDeep } from "./depth.ts";

/** Constraints on a value beyond its type, under one set of names for both field formats. */
export interface Bounds {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly members?: readonly string[] | undefined;
}

const QUOTED_LENGTH_MAX = 60;
const LISTED_MEMBERS_MAX = 20;

/** Returns an error for every bound that a value of the right type violates. */
export function checkBounds(field: string, bounds: Bounds, value: Json): ContractError[] {
  const errors: ContractError[] = [];
  if (typeof value === "number") errors.push(...checkRange(field, bounds, value));
  if (typeof value === "string") {
    errors.push(...checkLength(field, bounds, countCodePoints(value), "characters"));
    if (bounds.pattern !== undefined) errors.push(...checkPattern(field, bounds.pattern, value));
  }
  if (isJsonArray(value)) errors.push(...checkLength(field, bounds, value.length, "elements"));
  if (bounds.members !== undefined && !isMember(bounds.members, value)) {
    const details = `must be one of ${listMembers(bounds.members)}; got ${describe(value)}`;
    errors.push({ field, reason: "enum_mismatch", details });
  }
  return errors;
}

export function tooDeepError(field: string, value: Json): ContractError | undefined {
  if (!isTooDeep(value)) return undefined;
  return { field, reason: "schema_violation", details: `is nested deeper than ${LIMITS.valueDepthMax} levels` };
}

export function typeError(field: string, type: string, value: Json): ContractError {
  return { field, reason: "type_mismatch", details: `must be ${type}, got ${describe(value)}` };
}

function isMember(members: readonly string[], value: Json): boolean {
  if (typeof value === "string") return matchMember(value, members) !== undefined;
  return !isJsonObject(value) && !isJsonArray(value) && members.includes(jsonToText(value));
}

function checkRange(field: string, bounds: Bounds, value: number): ContractError[] {
  if (bounds.minimum !== undefined && value < bounds.minimum) {
    return [{ field, reason: "below_min", details: `${value} is below the minimum ${bounds.minimum}` }];
  }
  if (bounds.maximum !== undefined && value > bounds.maximum) {
    return [{ field, reason: "above_max", details: `${value} is above the maximum ${bounds.maximum}` }];
  }
  return [];
}

function checkLength(field: string, bounds: Bounds, length: number, unit: string): ContractError[] {
  if (bounds.minLength !== undefined && length < bounds.minLength) {
    return [{ field, reason: "too_short", details: `has ${length} ${unit}, at least ${bounds.minLength} are needed` }];
  }
  if (bounds.maxLength !== undefined && length > bounds.maxLength) {
    return [{ field, reason: "too_long", details: `has ${length} ${unit}, at most ${bounds.maxLength} are allowed` }];
  }
  return [];
}

function checkPattern(field: string, text: string, value: string): ContractError[] {
  const pattern = compilePattern(text);
  if (!pattern.ok) return [{ field, reason: "pattern_mismatch", details: `invalid_regex: ${pattern.failure}` }];
  if (pattern.value.test(value)) return [];
  return [{ field, reason: "pattern_mismatch", details: `${describe(value)} does not match ${text}` }];
}

/** Describes a value briefly, for messages. */
export function describe(value: Json): string {
  if (typeof value === "string") return `string ${quote(value)}`;
  if (isJsonArray(value)) return `an array of ${value.length}`;
  if (isJsonObject(value)) return "an object";
  return value === null ? "null" : `${typeof value} ${String(value)}`;
}

function quote(text: string): string {
  if (text.length <= QUOTED_LENGTH_MAX) return JSON.stringify(text);
  // A cut inside a surrogate pair would leave text that no database accepts.
  const isCutInPair = isHighSurrogate(text.charCodeAt(QUOTED_LENGTH_MAX - 1));
  return `${JSON.stringify(text.slice(0, QUOTED_LENGTH_MAX - (isCutInPair ? 1 : 0)))}…`;
}

function listMembers(members: readonly string[]): string {
  const shown = members.slice(0, LISTED_MEMBERS_MAX).join(", ");
  return members.length > LISTED_MEMBERS_MAX ? `${shown}, … (${members.length} in all)` : shown;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

export function isOfType(type: FieldType | LensFieldType, value: Json): boolean {
  switch (type) {
    case "string":
    case "url":
      return typeof value === "string";
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return isJsonObject(value);
    case "array":
      return isJsonArray(value);
    case "json":
      return isJsonObject(value) || isJsonArray(value);
    case "file":
      return isFileValue(value);
    case "any":
      return true;
  }
}
