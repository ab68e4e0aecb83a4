import type { Json, JsonObject } from "../base/index.ts";
import type { ArgField, Property, ValueField } from "../definition/index.ts";

/** The args of a workflow as JSON Schema. It helps the caller; what counts is what the API checks. */
export function argsSchema(args: Readonly<Record<string, ArgField>>, extra: JsonObject = {}): JsonObject {
  const fields = Object.entries(args);
  const own = fields.map(([name, field]): [string, Json] => [name, fieldSchema(field)]);
  // An arg of the author's comes before a word of ours.
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

/** Patterns here are of another dialect than those of JSON Schema: a client could misread one, or choke on it. */
function describe({ description, pattern }: ValueField): string | undefined {
  if (pattern === undefined) return description;
  const rule = `Must match the pattern ${pattern}`;
  return description === undefined ? rule : `${description} (${rule})`;
}
