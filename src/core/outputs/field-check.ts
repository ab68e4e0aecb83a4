import { getOwn, isJsonArray, jsonToText, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, OutputField } from "../definition/index.ts";
import { checkBounds, isOfType, tooDeepError, typeError } from "./constraint.ts";

/** Every way in which the values break the declared fields; null counts as absent, other keys are not checked. */
export function checkFields(
  fields: Readonly<Record<string, OutputField>>,
  values: JsonObject,
): readonly ContractError[] {
  return Object.entries(fields).flatMap(([name, field]) => checkField(name, field, getOwn(values, name)));
}

function checkField(name: string, field: OutputField, value: Json | undefined): ContractError[] {
  if (value === undefined || value === null) {
    return field.required ? [{ field: name, reason: "missing_required" }] : [];
  }
  if (!isOfType(field.type, value)) return [typeError(name, field.type, value)];
  const tooDeep = tooDeepError(name, value);
  if (tooDeep !== undefined) return [tooDeep];
  const badElement = firstBadElement(name, field, value);
  if (badElement !== undefined) return [badElement];
  return checkBounds(name, { ...field, members: membersOf(field) }, value);
}

/** Members as text: a declared `enum: [1, 2]` of a string field means the texts "1" and "2". */
export function membersOf(field: OutputField): readonly string[] | undefined {
  return field.enum?.map((member) => jsonToText(member));
}

function firstBadElement(name: string, field: OutputField, value: Json): ContractError | undefined {
  const { itemsType } = field;
  if (itemsType === undefined || !isJsonArray(value)) return undefined;
  const index = value.findIndex((element) => !isOfType(itemsType, element));
  return index === -1 ? undefined : typeError(`${name}[${index}]`, itemsType, value[index] ?? null);
}
