import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";

/** Returns the schemas for the value at a path. There are several where a format allows several shapes. */
export function schemasAt(root: JsonObject, path: readonly (string | number)[]): readonly JsonObject[] {
  let schemas = branchesOf(root);
  for (const segment of path) schemas = schemas.flatMap((schema) => memberOf(schema, segment)).flatMap(branchesOf);
  return schemas;
}

function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const branches = getOwn(schema, "anyOf") ?? getOwn(schema, "oneOf");
  if (!isJsonArray(branches)) return [schema];
  // Properties beside the branches, such as the description, apply to each branch.
  const { anyOf: _any, oneOf: _one, ...shared } = schema;
  return branches.filter(isJsonObject).flatMap((branch) => branchesOf({ ...shared, ...branch }));
}

function memberOf(schema: JsonObject, segment: string | number): readonly JsonObject[] {
  if (typeof segment === "number") return asSchemas(getOwn(schema, "items"));
  const properties = getOwn(schema, "properties");
  const named = isJsonObject(properties) ? getOwn(properties, segment) : undefined;
  return asSchemas(named ?? getOwn(schema, "additionalProperties"));
}

function asSchemas(value: Json | undefined): readonly JsonObject[] {
  return isJsonObject(value) ? [value] : [];
}

export interface KnownKey {
  readonly name: string;
  readonly description: string;
  /** Kind of the value in words: `text`, `list`, `one of 4`. */
  readonly shape: string;
  readonly isRequired: boolean;
}

/** Returns the keys a map may have here, without deprecated ones. */
export function keysOf(schemas: readonly JsonObject[]): readonly KnownKey[] {
  const found = new Map<string, KnownKey>();
  for (const schema of schemas) {
    const properties = getOwn(schema, "properties");
    if (!isJsonObject(properties)) continue;
    const required = getOwn(schema, "required");
    for (const [name, property] of Object.entries(properties)) {
      if (!isJsonObject(property) || getOwn(property, "deprecated") === true || found.has(name)) continue;
      const isRequired = isJsonArray(required) && required.includes(name);
      found.set(name, { name, description: textOf(property, "description"), shape: shapeOf(property), isRequired });
    }
  }
  return [...found.values()];
}

export interface KnownValue {
  readonly text: string;
  readonly description: string;
  readonly isDefault: boolean;
}

/** Returns the fixed words allowed as a value here. */
export function valuesOf(schemas: readonly JsonObject[]): readonly KnownValue[] {
  const found = new Map<string, KnownValue>();
  for (const schema of schemas) {
    const members = getOwn(schema, "enum");
    const isFlag = getOwn(schema, "type") === "boolean";
    const words = isJsonArray(members) ? members : isFlag ? [true, false] : [];
    for (const word of words) {
      if (word === null || typeof word === "object") continue;
      const isDefault = getOwn(schema, "default") === word;
      found.set(String(word), { text: String(word), description: textOf(schema, "description"), isDefault });
    }
  }
  return [...found.values()];
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
  array: "list",
  object: "map",
};

function shapeOf(schema: JsonObject): string {
  const shapes = branchesOf(schema).map((branch) => {
    const members = getOwn(branch, "enum");
    if (isJsonArray(members)) return members.map(String).join(" · ");
    const type = getOwn(branch, "type");
    const types = isJsonArray(type) ? type : [type];
    return types.flatMap((one) => (typeof one === "string" ? (getOwn(WORDS, one) ?? []) : [])).join(" or ");
  });
  return [...new Set(shapes.filter((text) => text !== ""))].join(" or ");
}

function textOf(schema: JsonObject, key: string): string {
  const value = getOwn(schema, key);
  return typeof value === "string" ? value : "";
}
