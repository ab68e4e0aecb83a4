import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import { FILE_FORMAT } from "./output-schema.ts";

/** A declared output whose value is a file or a list of files. */
export interface FileOutput {
  readonly name: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
}

/** Returns the outputs that the schema marks as files, in schema order. */
export function fileOutputs(schema: JsonObject | undefined): readonly FileOutput[] {
  const properties = schema === undefined ? undefined : getOwn(schema, "properties");
  const required = schema === undefined ? undefined : getOwn(schema, "required");
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const isList = isJsonObject(property) && isFile(getOwn(property, "items"));
    if (!isList && !isFile(property)) return [];
    return [{ name, isList, isRequired: isJsonArray(required) && required.includes(name) }];
  });
}

/** Returns the schema without its files: the outputs that a model can answer in text. Undefined when none is left. */
export function withoutFiles(schema: JsonObject | undefined): JsonObject | undefined {
  const files = new Set(fileOutputs(schema).map(({ name }) => name));
  const properties = schema === undefined ? undefined : getOwn(schema, "properties");
  if (schema === undefined || files.size === 0 || !isJsonObject(properties)) return schema;
  const left = Object.entries(properties).filter(([name]) => !files.has(name));
  if (left.length === 0) return undefined;
  const required = getOwn(schema, "required");
  const still = isJsonArray(required) ? required.filter((name) => typeof name !== "string" || !files.has(name)) : [];
  return { ...schema, properties: Object.fromEntries(left), required: still };
}

function isFile(schema: Json | undefined): boolean {
  return isJsonObject(schema) && getOwn(schema, "format") === FILE_FORMAT;
}
