import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, FieldType } from "../definition/index.ts";
import { matchMember } from "../expression/index.ts";
import { coerceValue } from "./coercion.ts";
import { beginCheck, checkValue, findingsOf, kindOf, listAt, objectAt, quoted } from "./value-check.ts";

const FIELD_TYPES: readonly FieldType[] = ["string", "number", "integer", "boolean", "object", "array"];

/**
 * Returns every violation of the requested schema by an answer, worded for a model. Deviations that the engine repairs itself
 * (a number in quotes, a single value for a list) and undeclared keys are not reported.
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
  return findingsOf(check);
}

/** Returns the value after the repairs that the engine makes itself, without a model call. */
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

/** Returns every violation of a tool's schema by the args of a call, worded for a model or a person. */
export function checkToolArgs(schema: JsonObject, args: JsonObject): readonly string[] {
  const check = beginCheck(schema, { isWhole: true });
  checkValue(schema, args, "", check);
  return findingsOf(check);
}

/** Returns the violations of a function's input or output schema, as data. */
export function schemaErrors(schema: JsonObject, value: JsonObject, field: string): readonly ContractError[] {
  return checkToolArgs(schema, value).map((details) => ({ field, reason: "schema_violation", details }));
}
