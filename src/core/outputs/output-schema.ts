import { FILE_KEYS, type Json, type JsonObject } from "../base/index.ts";
import type { OutputField, Property, ValueField } from "../definition/index.ts";
import { membersOf } from "./field-check.ts";

/** The declared outputs as JSON Schema, for adapters that can hold a model to one. */
export function outputJsonSchema(fields: Readonly<Record<string, OutputField>>): JsonObject {
  return { type: "object", ...propertiesSchema(fields) };
}

/** Marks a property whose value is a file: adapters hand one over instead of asking for it in words. */
export const FILE_FORMAT = "file";

const FILE_SCHEMA: JsonObject = {
  type: "object",
  format: FILE_FORMAT,
  properties: {
    name: { type: "string" },
    mime: { type: "string" },
    size: { type: "integer" },
    sha256: { type: "string" },
  },
  required: FILE_KEYS,
  additionalProperties: false,
};

/** One value; a field without a type may be anything. */
function fieldSchema(field: ValueField): JsonObject {
  if (field.type === "file") return FILE_SCHEMA;
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
    ["description", field.description],
    ["items", isArray && field.items !== undefined ? fieldSchema(field.items) : undefined],
    ...Object.entries(field.properties === undefined ? {} : propertiesSchema(field.properties)),
  ];
  return Object.fromEntries(keywords.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function propertiesSchema(fields: Readonly<Record<string, Property>>): JsonObject {
  const entries = Object.entries(fields);
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
    // Models that take a schema literally need this; an undeclared key in an answer is still no error.
    additionalProperties: false,
  };
}
