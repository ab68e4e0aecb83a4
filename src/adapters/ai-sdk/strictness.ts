import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";

const KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
]);

/**
 * True when OpenAI can enforce the schema strictly. Strict mode refuses schemas with optional or open parts or unknown
 * keywords. Such a schema is only shown to the model, and the answer is checked here.
 */
export function fitsStrictMode(schema: JsonObject): boolean {
  if (Object.keys(schema).some((key) => !KEYWORDS.has(key))) return false;
  const type = getOwn(schema, "type");
  if (type === "object") return isClosed(schema);
  if (type === "array") return fits(getOwn(schema, "items"));
  return typeof type === "string";
}

function isClosed(schema: JsonObject): boolean {
  const [properties, required] = [getOwn(schema, "properties"), getOwn(schema, "required")];
  if (!isJsonObject(properties) || !isJsonArray(required)) return false;
  if (getOwn(schema, "additionalProperties") !== false || Object.keys(properties).length === 0) return false;
  return Object.entries(properties).every(([name, property]) => required.includes(name) && fits(property));
}

function fits(schema: Json | undefined): boolean {
  return isJsonObject(schema) && fitsStrictMode(schema);
}
