import { FILE_KEYS, type Json, type JsonObject } from "../base/index.ts";
import type { OutputField, Property, ValueField } from "../definition/index.ts";
import { membersOf } from "./field-check.ts";

/** Returns the declared outputs as JSON Schema, for adapters that can force a model to follow it. */
export function outputJsonSchema(fields: Readonly<Record<string, OutputField>>): JsonObject {
  return { type: "object", ...propertiesSchema(fields) };
}

/** Marks a property whose value is a file. Adapters supply the file instead of requesting it as text. */
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

/** Returns the schema of one value. A field without a type accepts any value. */
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
    // Models that enforce a schema strictly require this. An undeclared key in an answer is still no error.
    additionalProperties: false,
  };
}
