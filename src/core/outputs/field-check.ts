import { getOwn, isJsonArray, isJsonObject, jsonToText, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, Property, ValueField } from "../definition/index.ts";
import { checkBounds, isOfType, tooDeepError, typeError } from "./constraint.ts";

/** Returns every violation of the declared fields. A null value counts as absent; undeclared keys are not checked. */
export function checkFields(
  fields: Readonly<Record<string, Property>>,
  values: JsonObject,
  above = "",
): readonly ContractError[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = getOwn(values, name);
    if (value !== undefined && value !== null) return checkValue(`${above}${name}`, field, value);
    return field.required ? [{ field: `${above}${name}`, reason: "missing_required" as const }] : [];
  });
}

function checkValue(name: string, field: ValueField, value: Json): readonly ContractError[] {
  if (field.type !== undefined && !isOfType(field.type, value)) return [typeError(name, field.type, value)];
  const tooDeep = tooDeepError(name, value);
  if (tooDeep !== undefined) return [tooDeep];
  const inside = checkInside(name, field, value);
  return inside.length > 0 ? inside : checkBounds(name, { ...field, members: membersOf(field) }, value);
}

/** Checks the inside of a value: all properties of an object, or the elements of a list up to the first that is invalid. */
function checkInside(name: string, { items, properties }: ValueField, value: Json): readonly ContractError[] {
  if (properties !== undefined && isJsonObject(value)) return checkFields(properties, value, `${name}.`);
  if (items === undefined || !isJsonArray(value)) return [];
  for (const [index, element] of value.entries()) {
    const errors = checkValue(`${name}[${index}]`, items, element);
    if (errors.length > 0) return errors;
  }
  return [];
}

/** Returns the enum members as text: `enum: [1, 2]` of a string field means the texts "1" and "2". */
export function membersOf(field: ValueField): readonly string[] | undefined {
  return field.enum?.map((member) => jsonToText(member));
}
