import {
  canonicalJson,
  countCodePoints,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../base/index.ts";
import type { ContractError, FieldType } from "../definition/index.ts";
import { matchMember } from "../expression/index.ts";
import { compilePattern } from "../text/index.ts";
import { coerceValue } from "./coercion.ts";

const FIELD_TYPES: readonly FieldType[] = ["string", "number", "integer", "boolean", "object", "array"];
const PROBLEMS_MAX = 20;
const DEPTH_MAX = 100;
const QUOTED_LENGTH_MAX = 80;
const ABSOLUTE_ADDRESS = /^[a-z][a-z0-9+.-]*:\/?\/?[^\s/]\S*$/i;

/**
 * Every way in which an answer breaks the schema it was asked to fit, in words a model can act on. What the engine
 * will repair by itself (a number in quotes, a list of one) is no problem, and neither is an undeclared key.
 */
export function checkAgainstSchema(schema: JsonObject, value: Json): readonly string[] {
  const problems: string[] = [];
  if (!isJsonObject(value)) return [`the answer must be a JSON object, not ${kindOf(value)}`];
  const properties = objectAt(schema, "properties");
  const required = listAt(schema, "required");
  for (const [name, property] of Object.entries(properties)) {
    const given = getOwn(value, name);
    if (given === undefined || given === null) {
      if (required.includes(name)) problems.push(`${quoted(name)} is missing`);
    } else if (isJsonObject(property)) {
      checkValue(property, settled(property, given), quoted(name), problems);
    }
  }
  return problems.slice(0, PROBLEMS_MAX);
}

/** The value as the engine will see it after its own, free repairs. */
function settled(schema: JsonObject, value: Json): Json {
  const type = getOwn(schema, "type");
  const coerced = isFieldType(type) ? coerceValue({ type }, value) : value;
  const members = listAt(schema, "enum").filter((member): member is string => typeof member === "string");
  if (typeof coerced !== "string" || members.length === 0) return coerced;
  return matchMember(coerced, members) ?? coerced;
}

function isFieldType(type: Json | undefined): type is FieldType {
  return FIELD_TYPES.some((known) => known === type);
}

/** Every way in which the args of a tool call break the schema of the tool, in words a model or a person can act on. */
export function checkToolArgs(schema: JsonObject, args: JsonObject): readonly string[] {
  const problems: string[] = [];
  for (const name of listAt(schema, "required")) {
    if (typeof name === "string" && getOwn(args, name) === undefined) problems.push(`${quoted(name)} is missing`);
  }
  const properties = objectAt(schema, "properties");
  for (const [name, value] of Object.entries(args)) {
    const property = getOwn(properties, name);
    if (isJsonObject(property)) checkValue(property, value, quoted(name), problems);
    else if (property === undefined && getOwn(schema, "additionalProperties") === false) {
      problems.push(`${quoted(name)} is not known`);
    }
  }
  return problems.slice(0, PROBLEMS_MAX);
}

/** The same for what a function takes and returns, as data. */
export function schemaErrors(schema: JsonObject, value: JsonObject, field: string): readonly ContractError[] {
  return checkToolArgs(schema, value).map((details) => ({ field, reason: "schema_violation", details }));
}

/** Adds what is wrong with a value at a place. Keywords it does not know count as fulfilled. */
function checkValue(schema: JsonObject, value: Json, place: string, problems: string[], depth = 0): void {
  if (depth > DEPTH_MAX || problems.length >= PROBLEMS_MAX) return;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    problems.push(`${place} must be ${types.join(" or ")}, got ${kindOf(value)}`);
    return;
  }
  checkMembers(schema, value, place, problems);
  if (typeof value === "number") checkRange(schema, value, "minimum", "maximum", place, "", problems);
  if (typeof value === "string") checkText(schema, value, place, problems);
  if (isJsonArray(value)) {
    checkRange(schema, value.length, "minItems", "maxItems", `the length of ${place}`, " elements", problems);
    const items = getOwn(schema, "items");
    if (!isJsonObject(items)) return;
    for (const [index, element] of value.entries())
      checkValue(items, element, `${place}[${index}]`, problems, depth + 1);
  }
  if (isJsonObject(value)) checkObject(schema, value, place, depth, problems);
}

function checkObject(schema: JsonObject, value: JsonObject, place: string, depth: number, problems: string[]): void {
  for (const name of listAt(schema, "required")) {
    if (typeof name === "string" && getOwn(value, name) === undefined)
      problems.push(`${place}.${quoted(name)} is missing`);
  }
  for (const [name, property] of Object.entries(objectAt(schema, "properties"))) {
    const given = getOwn(value, name);
    if (given !== undefined && isJsonObject(property))
      checkValue(property, given, `${place}.${quoted(name)}`, problems, depth + 1);
  }
}

function checkMembers(schema: JsonObject, value: Json, place: string, problems: string[]): void {
  const members = getOwn(schema, "enum");
  if (!isJsonArray(members)) return;
  const text = canonicalJson(value);
  if (members.some((member) => canonicalJson(member) === text)) return;
  const shown = members.slice(0, PROBLEMS_MAX).map((member) => JSON.stringify(member));
  problems.push(`${place} must be one of ${shown.join(", ")}, got ${kindOf(value)}`);
}

function checkText(schema: JsonObject, value: string, place: string, problems: string[]): void {
  checkRange(
    schema,
    countCodePoints(value),
    "minLength",
    "maxLength",
    `the length of ${place}`,
    " characters",
    problems,
  );
  const text = getOwn(schema, "pattern");
  if (typeof text === "string") {
    const pattern = compilePattern(text);
    if (pattern.ok && !pattern.value.test(value)) problems.push(`${place} must match the pattern ${text}`);
  }
  if (getOwn(schema, "format") === "uri" && !ABSOLUTE_ADDRESS.test(value))
    problems.push(`${place} must be an absolute address`);
}

function checkRange(
  schema: JsonObject,
  size: number,
  least: string,
  most: string,
  place: string,
  unit: string,
  problems: string[],
): void {
  const [minimum, maximum] = [getOwn(schema, least), getOwn(schema, most)];
  if (typeof minimum === "number" && size < minimum)
    problems.push(`${place} must be at least ${minimum}${unit}, is ${size}`);
  if (typeof maximum === "number" && size > maximum)
    problems.push(`${place} must be at most ${maximum}${unit}, is ${size}`);
}

function typesOf(schema: JsonObject): readonly string[] {
  const type = getOwn(schema, "type");
  const types = isJsonArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === "string");
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return isJsonArray(value);
    case "object":
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = getOwn(schema, key);
  return isJsonObject(value) ? value : {};
}

function listAt(schema: JsonObject, key: string): readonly Json[] {
  const value = getOwn(schema, key);
  return isJsonArray(value) ? value : [];
}

function kindOf(value: Json): string {
  if (isJsonArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return "an object";
  const text = JSON.stringify(value);
  return text.length <= QUOTED_LENGTH_MAX ? text : `${text.slice(0, QUOTED_LENGTH_MAX)}…`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
