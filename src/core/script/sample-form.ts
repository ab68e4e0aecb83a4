import type { Json, JsonObject } from "../base/index.ts";
import { declaredField, type FormField, type FormFields } from "../event/index.ts";
import { makeOutputs } from "./auto-output.ts";

const DAY = "2030-01-01";

/** Fills in a form with its defaults, and with valid generated values for fields without one. */
export function sampleForm(fields: FormFields): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sampleOf(name, field)]));
}

function sampleOf(name: string, field: FormField): Json {
  if (field.default !== undefined && field.default !== null) return field.default;
  if (field.type === "date") return DAY;
  const { required: _required, ...schema } = declaredField(field);
  return makeOutputs({ properties: { [name]: { ...schema } } }, name)[name] ?? null;
}
