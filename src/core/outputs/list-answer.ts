import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import { parseWhole } from "./json-search.ts";

/**
 * Returns the outputs for an answer that is a list as a whole: the list becomes the only declared output that is an array.
 * `fields` are declared outputs, or the properties of a schema. Undefined when the answer is no list or more than one output
 * could take it.
 */
export function outputsOfList(
  fields: Readonly<Record<string, unknown>>,
  value: Json | undefined,
): JsonObject | undefined {
  if (!isJsonArray(value)) return undefined;
  const names = Object.keys(fields).filter((name) => typeOf(fields[name]) === "array");
  const [only] = names;
  return only === undefined || names.length > 1 ? undefined : { [only]: value };
}

/** Returns the outputs for the text of such an answer. */
export function outputsOfListText(fields: Readonly<Record<string, unknown>>, text: string): JsonObject | undefined {
  return text.trimStart().startsWith("[") ? outputsOfList(fields, parseWhole(text).value) : undefined;
}

function typeOf(field: unknown): unknown {
  const isField = typeof field === "object" && field !== null && "type" in field;
  return isField ? field.type : undefined;
}

/** Returns the properties of a schema. */
export function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema === undefined ? undefined : getOwn(schema, "properties");
  return isJsonObject(properties) ? properties : {};
}
