import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, OutputField, ValueField } from "../definition/index.ts";
import { matchMember } from "../expression/index.ts";
import { coerceValue } from "./coercion.ts";
import { tooDeepError } from "./constraint.ts";
import { checkFields, membersOf } from "./field-check.ts";

export interface SettledOutputs {
  readonly outputs: JsonObject;
  /** Original text of each enum value that was replaced by a different member text. */
  readonly raw: JsonObject;
  readonly errors: readonly ContractError[];
}

/** Converts and checks the outputs of an attempt. Undeclared keys stay unchanged. */
export function settleOutputs(fields: Readonly<Record<string, OutputField>>, given: JsonObject): SettledOutputs {
  const outputs: [string, Json][] = [];
  const raw: [string, Json][] = [];
  const undeclaredErrors: ContractError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const field = getOwn(fields, name);
    const settled = field === undefined ? value : settleValue(field, value);
    outputs.push([name, settled]);
    if (typeof value === "string" && typeof settled === "string" && settled !== value) raw.push([name, value]);
    const tooDeep = field === undefined ? tooDeepError(name, value) : undefined;
    if (tooDeep !== undefined) undeclaredErrors.push(tooDeep);
  }
  const settledOutputs = Object.fromEntries(outputs);
  return {
    outputs: settledOutputs,
    raw: Object.fromEntries(raw),
    errors: [...checkFields(fields, settledOutputs), ...undeclaredErrors],
  };
}

function settleValue(field: ValueField, value: Json): Json {
  if (field.type === undefined) return value;
  const coerced = settleInside(field, coerceValue({ type: field.type }, value));
  const members = membersOf(field);
  if (members === undefined || typeof coerced !== "string" || field.type !== "string") return coerced;
  return matchMember(coerced, members) ?? coerced;
}

/** Converts properties of an object like fields. Elements of a list are not converted themselves, only the values inside them. */
function settleInside({ items, properties }: ValueField, value: Json): Json {
  if (properties !== undefined && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const property = getOwn(properties, name);
        return [name, property === undefined ? inner : settleValue(property, inner)];
      }),
    );
  }
  if (items === undefined || !isJsonArray(value)) return value;
  const isPlain = items.properties === undefined && items.items === undefined;
  return isPlain ? value : value.map((element) => settleInside(items, element));
}
