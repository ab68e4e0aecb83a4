import { isJsonArray, type Json } from "../base/index.ts";
import type { ContractError, LensField, LensFieldType } from "../definition/index.ts";
import { checkBounds, describe, isOfType, tooDeepError, typeError } from "./constraint.ts";
import { isUrl } from "./url.ts";

/** Returns whether a value is present. In a lens contract, an empty text counts as absent. */
export function isPresent(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null && value !== "";
}

/** Returns every violation of a field by a present value. An error of type or shape ends the check. */
export function checkLensValue(name: string, field: LensField, value: Json): ContractError[] {
  const shape = shapeError(name, field.type, value) ?? tooDeepError(name, value) ?? elementError(name, field, value);
  if (shape !== undefined) return [shape];
  const { min: minimum, max: maximum, minLength, maxLength, pattern, enum: members } = field;
  return checkBounds(name, { minimum, maximum, minLength, maxLength, pattern, members }, value);
}

/** Reports only the first invalid element, because the rest of the list usually has the same error. */
function elementError(name: string, field: LensField, value: Json): ContractError | undefined {
  if (field.itemType === undefined || !isJsonArray(value)) return undefined;
  for (const [index, element] of value.entries()) {
    const error = shapeError(`${name}[${index}]`, field.itemType, element);
    if (error !== undefined) return error;
  }
  return undefined;
}

function shapeError(name: string, type: LensFieldType, value: Json): ContractError | undefined {
  if (!isOfType(type, value)) return typeError(name, type, value);
  if (type === "url" && typeof value === "string" && !isUrl(value)) {
    return { field: name, reason: "pattern_mismatch", details: `${describe(value)} is not an absolute address` };
  }
  return undefined;
}
