/** Converts JSON Schema to the fields of a definition: args, inputs and outputs. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { compilePattern } from "../core/text/index.ts";
import { jsonSchemaOf, type Schema, unsupported } from "./schema.ts";

/** Returns the fields of an object schema by name. `isRequired` is the default where a definition does not set `required`. */
export function fieldsOfSchema(schema: Schema, path: string, isRequired: boolean): JsonObject {
  const printed = withoutNames(jsonSchemaOf(schema, path));
  const properties = getOwn(printed, "properties");
  if (getOwn(printed, "type") !== "object" || !isJsonObject(properties)) {
    throw unsupported(path, "it must be an object with fields.", "Write z.object({ name: z.string() }).");
  }
  return propertiesOf(printed, path, isRequired);
}

/** Returns the args of a workflow. Each has a type, since values of the command line are read by it. */
export function argsOfSchema(schema: Schema): JsonObject {
  const args = fieldsOfSchema(schema, "args", false);
  for (const [name, arg] of Object.entries(args)) {
    if (isJsonObject(arg) && (Object.hasOwn(arg, "type") || Object.hasOwn(arg, "default"))) continue;
    const hint = "Write z.record(z.string(), z.unknown()) or z.array(z.unknown()), or put it into a z.object().";
    throw unsupported(`args.${name}`, "an arg has one type.", hint);
  }
  return args;
}

/** Returns one field of any type. */
export function fieldOfSchema(schema: Schema, path: string): JsonObject {
  return fieldOf(withoutNames(jsonSchemaOf(schema, path)), path, true);
}

/** Returns JSON Schema without parts that only concern its printer. */
export function plainSchemaOf(schema: Schema, path: string): JsonObject {
  const { $schema: _printer, ...rest } = jsonSchemaOf(schema, path);
  return withoutBounds(rest);
}

const LOCAL = "#/$defs/";

/** Puts schemas that have an id in place of the references to them. A reference inside its own schema stays. */
function withoutNames({ $defs: named, ...schema }: JsonObject): JsonObject {
  const inlined = (value: Json, around: readonly string[]): Json => {
    if (isJsonArray(value)) return value.map((one) => inlined(one, around));
    if (!isJsonObject(value)) return value;
    const { $ref: target, ...rest } = value;
    const name = typeof target === "string" && target.startsWith(LOCAL) ? target.slice(LOCAL.length) : null;
    const found = name === null || !isJsonObject(named) ? undefined : getOwn(named, name);
    if (name !== null && isJsonObject(found) && !around.includes(name)) {
      return inlined({ ...found, ...rest }, [...around, name]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inlined(member, around)]));
  };
  return inlined(schema, []) as JsonObject;
}

function propertiesOf(schema: JsonObject, path: string, isDefault: boolean): JsonObject {
  const properties = getOwn(schema, "properties");
  const required = getOwn(schema, "required");
  const isRequired = (name: string): boolean => isJsonArray(required) && required.includes(name);
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { isNullable, ...field } = nullable(isJsonObject(property) ? property : {}, `${path}.${name}`, isDefault);
      // A nullable field is optional, because null counts as absent.
      const isNeeded = isRequired(name) && !isNullable;
      return [name, isNeeded === isDefault ? field : { ...field, required: isNeeded }];
    }),
  );
}

function nullable(schema: JsonObject, path: string, isDefault: boolean): JsonObject & { readonly isNullable: boolean } {
  const type = getOwn(schema, "type");
  const alternatives = getOwn(schema, "anyOf");
  if (isJsonArray(type) && type.includes("null")) {
    const [only, ...more] = type.filter((one) => one !== "null");
    if (only !== undefined && more.length === 0)
      return { ...fieldOf({ ...schema, type: only }, path, isDefault), isNullable: true };
  }
  if (isJsonArray(alternatives)) {
    const { anyOf: _alternatives, ...rest } = schema;
    const others = alternatives.filter((one) => !isNull(one));
    const [only] = others;
    if (others.length < alternatives.length && others.length === 1 && isJsonObject(only ?? null)) {
      return { ...fieldOf({ ...rest, ...(only as JsonObject) }, path, isDefault), isNullable: true };
    }
  }
  return { ...fieldOf(schema, path, isDefault), isNullable: false };
}

function isNull(schema: Json): boolean {
  return isJsonObject(schema) && getOwn(schema, "type") === "null";
}

const SUPPORTED: ReadonlySet<string> = new Set(
  [
    "type enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern minItems maxItems items",
    "properties required additionalProperties propertyNames default description format title examples anyOf $schema",
    "deprecated readOnly id",
  ].flatMap((words) => words.split(" ")),
);

function fieldOf(schema: JsonObject, path: string, isDefault: boolean): JsonObject {
  const strange = Object.keys(schema).find((key) => !SUPPORTED.has(key));
  if (strange !== undefined) {
    const what = strange === "$ref" ? "it refers to itself." : `"${strange}" cannot be expressed in a definition.`;
    throw unsupported(
      path,
      what,
      "Write z.unknown(), z.array(z.unknown()) or z.record(z.string(), z.unknown()) there.",
    );
  }
  const members = membersOf(schema, path);
  const about = pick(schema, ["default", "description"]);
  if (members !== undefined) return { type: typeOfMembers(members, path), enum: members, ...about };
  const type = getOwn(schema, "type");
  if (getOwn(schema, "format") === "file") return { type: "file", ...about };
  switch (type) {
    case "string":
      return { type, ...pick(schema, ["minLength", "maxLength"]), ...patternOf(schema), ...about };
    case "number":
    case "integer":
      return { type, ...boundsOf(schema, type, path), ...about };
    case "boolean":
      return { type, ...about };
    case "array":
      return { type, ...itemsOf(schema, path, isDefault), ...about };
    case "object": {
      const more = getOwn(schema, "additionalProperties");
      if (isJsonObject(more) && Object.keys(more).length > 0) {
        const what = "a type for the values of an open object cannot be expressed.";
        throw unsupported(path, what, "Write z.record(z.string(), z.unknown()).");
      }
      const properties = propertiesOf(schema, path, isDefault);
      for (const [name, field] of Object.entries(properties)) refuseDefault(field, `${path}.${name}`);
      return { type, ...(Object.keys(properties).length === 0 ? {} : { properties }), ...about };
    }
    case undefined:
      return about;
    default:
      throw unsupported(path, "a value of several types cannot be expressed.", "Choose one type, or z.unknown().");
  }
}

/** Only an arg as a whole has a default. */
function refuseDefault(field: Json, path: string): void {
  if (!isJsonObject(field) || !Object.hasOwn(field, "default")) return;
  const hint = "Write .optional(), and orElse(value, other) where it is read.";
  throw unsupported(path, "a default inside an object or a list cannot be expressed.", hint);
}

/** Returns the members of an enum, one constant, or a choice of constants. */
function membersOf(schema: JsonObject, path: string): readonly Json[] | undefined {
  const listed = getOwn(schema, "enum");
  if (isJsonArray(listed)) return listed;
  const constant = getOwn(schema, "const");
  if (constant !== undefined) return [constant];
  const alternatives = getOwn(schema, "anyOf");
  if (!isJsonArray(alternatives)) return undefined;
  const members = alternatives.map((one) => (isJsonObject(one) ? membersOf(one, path) : undefined));
  if (members.every((one) => one !== undefined)) return members.flat();
  throw unsupported(path, "a choice of several schemas cannot be expressed.", "Choose one, or z.unknown().");
}

function typeOfMembers(members: readonly Json[], path: string): string {
  const kinds = new Set(members.map((member) => typeof member));
  const [kind] = kinds;
  if (kinds.size === 1 && (kind === "string" || kind === "number" || kind === "boolean")) return kind;
  throw unsupported(path, "an enum must have texts alone, or numbers alone.", "Split it into two fields.");
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] ?? null]] : [])));
}

/** Formats are documentation. Their patterns are kept only if the linear-time engine supports them. */
function patternOf(schema: JsonObject): JsonObject {
  const pattern = getOwn(schema, "pattern");
  if (typeof pattern !== "string") return {};
  const isOfFormat = getOwn(schema, "format") !== undefined;
  return isOfFormat && !compilePattern(pattern).ok ? {} : { pattern };
}

function boundsOf(schema: JsonObject, type: "number" | "integer", path: string): JsonObject {
  const bounds: Record<string, Json> = {};
  for (const [key, strict, step] of [
    ["minimum", "exclusiveMinimum", 1],
    ["maximum", "exclusiveMaximum", -1],
  ] as const) {
    const [limit, open] = [getOwn(schema, key), getOwn(schema, strict)];
    if (typeof limit === "number" && Math.abs(limit) !== Number.MAX_SAFE_INTEGER) bounds[key] = limit;
    if (typeof open !== "number") continue;
    if (type === "number") throw unsupported(path, `"${strict}" cannot be expressed.`, "Use min() or max().");
    bounds[key] = open + step;
  }
  return bounds;
}

function itemsOf(schema: JsonObject, path: string, isDefault: boolean): JsonObject {
  const items = getOwn(schema, "items");
  const [least, most] = [getOwn(schema, "minItems"), getOwn(schema, "maxItems")];
  const element = items !== undefined && isJsonObject(items) ? fieldOf(items, `${path}[]`, isDefault) : {};
  refuseDefault(element, `${path}[]`);
  return {
    ...(least === undefined ? {} : { minLength: least }),
    ...(most === undefined ? {} : { maxLength: most }),
    ...(Object.keys(element).length === 0 ? {} : { items: element }),
  };
}

/** Removes the bounds that every whole number in JSON has anyway. */
function withoutBounds(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(
    ([, value]) => !(typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, isJsonObject(value) ? withoutBounds(value) : value]));
}
