import type { Json, JsonObject } from "../base/index.ts";
import type { ArgField, Property, ValueField } from "../definition/index.ts";

/** Returns the args of a workflow as JSON Schema. The schema helps the caller; the check of the API is authoritative. */
export function argsSchema(args: Readonly<Record<string, ArgField>>, extra: JsonObject = {}): JsonObject {
  const fields = Object.entries(args);
  const own = fields.map(([name, field]): [string, Json] => [name, fieldSchema(field)]);
  // An arg defined by the author takes precedence over an extra field of the same name.
  const ours = Object.entries(extra).filter(([name]) => !Object.hasOwn(args, name));
  return {
    type: "object",
    properties: Object.fromEntries([...own, ...ours]),
    required: fields.filter(([, field]) => field.required && field.default === undefined).map(([name]) => name),
    additionalProperties: false,
  };
}

function mapped<T>(fields: Readonly<Record<string, T>>, change: (field: T) => Json): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}

function requiredOf(fields: Readonly<Record<string, Property>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, { required }]) => (required ? [name] : []));
}

function fieldSchema(field: ValueField & Pick<ArgField, "default">): JsonObject {
  const isList = field.type === "array";
  const keywords: [string, Json | undefined][] = [
    ["type", field.type],
    ["description", describe(field)],
    ["default", field.default],
    ["enum", field.enum],
    ["minimum", field.minimum],
    ["maximum", field.maximum],
    [isList ? "minItems" : "minLength", field.minLength],
    [isList ? "maxItems" : "maxLength", field.maxLength],
    ["items", field.items === undefined ? undefined : fieldSchema(field.items)],
    ["properties", field.properties === undefined ? undefined : mapped(field.properties, fieldSchema)],
    ["required", field.properties === undefined ? undefined : requiredOf(field.properties)],
  ];
  return Object.fromEntries(keywords.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Puts the pattern into the description: its dialect differs from JSON Schema, so a client could misread or reject it. */
function describe({ description, pattern }: ValueField): string | undefined {
  if (pattern === undefined) return description;
  const rule = `Must match the pattern ${pattern}`;
  return description === undefined ? rule : `${description} (${rule})`;
}
