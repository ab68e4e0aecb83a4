import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { Action, EffectGuarantee } from "../event/index.ts";
import { FIELD_TYPES, type FieldType, type OutputField } from "./field.ts";

/** A registered function of a worker. Both schemas are JSON Schemas of maps. */
export interface WorkerFunction {
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly action: Action;
  readonly effects: EffectGuarantee;
}

/** Returns the names that the schema marks as required. */
export function requiredNames(schema: JsonObject): readonly string[] {
  const names = getOwn(schema, "required");
  return isJsonArray(names) ? names.filter((name) => typeof name === "string") : [];
}

export function propertiesOf(schema: JsonObject): JsonObject {
  const properties = getOwn(schema, "properties");
  return isJsonObject(properties) ? properties : {};
}

/** Returns the properties of a schema as declared fields. Null when there are none or one of them cannot be declared as a field. */
export function fieldsOfSchema(schema: JsonObject): Readonly<Record<string, OutputField>> | null {
  const required = new Set(requiredNames(schema));
  const fields: [string, OutputField][] = [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const field = fieldOfSchema(property, required.has(name));
    if (field === null) return null;
    fields.push([name, field]);
  }
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

/** Null when no declared type expresses the schema. */
export function fieldOfSchema(schema: Json, required: boolean): OutputField | null {
  if (!isJsonObject(schema)) return null;
  const type = fieldType(getOwn(schema, "type"));
  if (type === null) return null;
  const items = getOwn(schema, "items");
  const itemsType = isJsonObject(items) ? fieldType(getOwn(items, "type")) : null;
  return {
    type,
    required,
    ...(type === "array" && itemsType !== null ? { itemsType } : {}),
    ...membersOf(schema),
    ...numbersOf(schema),
  };
}

function fieldType(type: Json | undefined): FieldType | null {
  return FIELD_TYPES.find((known) => known === type && known !== "file") ?? null;
}

function membersOf(schema: JsonObject): Pick<OutputField, "enum"> {
  const [members, only] = [getOwn(schema, "enum"), getOwn(schema, "const")];
  const listed = isJsonArray(members) ? members : only === undefined ? [] : [only];
  const plain = listed.filter((one): one is string | number | boolean =>
    ["string", "number", "boolean"].includes(typeof one),
  );
  return plain.length === 0 || plain.length < listed.length ? {} : { enum: plain };
}

const BOUNDS = ["minimum", "maximum", "minLength", "maxLength"] as const;

function numbersOf(schema: JsonObject): Pick<OutputField, (typeof BOUNDS)[number]> {
  return Object.fromEntries(
    BOUNDS.flatMap((name) => {
      const bound = getOwn(schema, name);
      return typeof bound === "number" ? [[name, bound] as const] : [];
    }),
  );
}
