import { dateOf, dateText, dayOf, getOwn, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError } from "../definition/index.ts";
import { declaredField, type FormField, type FormFields } from "../event/index.ts";
import { checkFields } from "./field-check.ts";

/** Returns the entered values with defaults for missing fields, and every violation of the form. */
export function checkForm(
  fields: FormFields,
  entered: JsonObject,
): { readonly values: JsonObject; readonly errors: readonly ContractError[] } {
  const unknown = Object.keys(entered).filter((name) => !Object.hasOwn(fields, name));
  const values: [string, Json][] = [];
  const errors: ContractError[] = unknown.map((field) => ({
    field,
    reason: "unknown_field",
    details: `is not a field of the form, which has ${Object.keys(fields).join(", ")}`,
  }));
  for (const [name, field] of Object.entries(fields)) {
    // Null is an answer: the person cleared the field. Only a missing field gets its default.
    const value = getOwn(entered, name) ?? (Object.hasOwn(entered, name) ? null : (field.default ?? null));
    errors.push(...checkFields({ [name]: declaredField(field) }, { [name]: value }), ...dateErrors(name, field, value));
    if (value !== null) values.push([name, value]);
  }
  return { values: Object.fromEntries(values), errors };
}

/** Checks that a date exists in the calendar. */
function dateErrors(field: string, { type }: FormField, value: Json): readonly ContractError[] {
  const parts = type === "date" && typeof value === "string" ? /^(\d{4})-(\d{2})-(\d{2})$/u.exec(value) : null;
  if (parts === null) return [];
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  if (month >= 1 && month <= 12 && dateText(dateOf(dayOf({ year, month, day }))) === value) return [];
  return [{ field, reason: "schema_violation", details: `${JSON.stringify(value)} is no day of the calendar` }];
}
