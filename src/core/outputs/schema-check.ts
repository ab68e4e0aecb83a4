import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, FieldType } from "../definition/index.ts";
import { matchMember } from "../expression/index.ts";
import { coerceValue } from "./coercion.ts";
import { beginCheck, checkValue, kindOf, listAt, objectAt, PROBLEMS_MAX, quoted } from "./value-check.ts";

const FIELD_TYPES: readonly FieldType[] = ["string", "number", "integer", "boolean", "object", "array"];

/**
 * Every way in which an answer breaks the schema it was asked to fit, in words a model can act on. What the engine
 * will repair by itself (a number in quotes, a list of one) is no problem, and neither is an undeclared key.
 */
export function checkAgainstSchema(schema: JsonObject, value: Json): readonly string[] {
  const check = beginCheck(schema, { isWhole: false });
  const { problems } = check;
  if (!isJsonObject(value)) return [`the answer must be a JSON object, not ${kindOf(value)}`];
  const properties = objectAt(schema, "properties");
  const required = listAt(schema, "required");
  for (const [name, property] of Object.entries(properties)) {
    const given = getOwn(value, name);
    if (given === undefined || given === null) {
      if (required.includes(name)) problems.push(`${quoted(name)} is missing`);
    } else if (isJsonObject(property)) {
      checkValue(property, settled(property, given), quoted(name), check);
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
  const check = beginCheck(schema, { isWhole: true });
  checkValue(schema, args, "", check);
  return check.problems.slice(0, PROBLEMS_MAX);
}

/** The same for what a function takes and returns, as data. */
export function schemaErrors(schema: JsonObject, value: JsonObject, field: string): readonly ContractError[] {
  return checkToolArgs(schema, value).map((details) => ({ field, reason: "schema_violation", details }));
}
