import type { Json, JsonObject } from "../base/index.ts";
import type { OutputField } from "../definition/index.ts";
import { membersOf } from "./field-check.ts";

/** The declared outputs as JSON Schema, for adapters that can hold a model to one. */
export function outputJsonSchema(fields: Readonly<Record<string, OutputField>>): JsonObject {
  const entries = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
    // Models that take a schema literally need this; an undeclared key in an answer is still no error.
    additionalProperties: false,
  };
}

function fieldSchema(field: OutputField): JsonObject {
  const isText = field.type === "string";
  const isNumber = field.type === "number" || field.type === "integer";
  const isArray = field.type === "array";
  const keywords: [string, Json | undefined][] = [
    ["type", field.type],
    ["enum", isText ? membersOf(field) : field.enum],
    ["minimum", isNumber ? field.minimum : undefined],
    ["maximum", isNumber ? field.maximum : undefined],
    ["minLength", isText ? field.minLength : undefined],
    ["maxLength", isText ? field.maxLength : undefined],
    ["minItems", isArray ? field.minLength : undefined],
    ["maxItems", isArray ? field.maxLength : undefined],
    ["pattern", isText ? field.pattern : undefined],
    ["items", isArray && field.itemsType !== undefined ? { type: field.itemsType } : undefined],
  ];
  return Object.fromEntries(keywords.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
