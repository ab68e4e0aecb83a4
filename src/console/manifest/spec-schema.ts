import { getOwn, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { ManifestKind } from "./manifest-kind.ts";

/** Returns the schema of the body that is sent to the address of an entry of the kind. */
export function bodySchema(openApi: JsonObject, { collection }: Pick<ManifestKind, "collection">): JsonObject | null {
  const paths = getOwn(openApi, "paths");
  if (!isJsonObject(paths)) return null;
  const address = new RegExp(`^/api/v1/${collection}/\\{[^/]+\\}$`);
  const [, methods] = Object.entries(paths).find(([path]) => address.test(path)) ?? [];
  const schema = memberAt(methods, ["put", "requestBody", "content", "application/json", "schema"]);
  return isJsonObject(schema) ? schema : null;
}

/** Returns the schema of a library step: a step without its id. The OpenAPI document does not contain it. */
export async function stepSchema(): Promise<JsonObject | null> {
  const { jsonSchema } = await import("../../core/definition/index.ts");
  const step = memberAt(jsonSchema("lobsterx"), ["properties", "steps", "items"]);
  if (!isJsonObject(step)) return null;
  const { id: _, ...properties } = (getOwn(step, "properties") ?? {}) as JsonObject;
  return { ...step, properties };
}

/** Adds the shapes of fields that are the same as in a step, such as `approvers`. The OpenAPI document does not describe them. */
export async function withStepFields(schema: JsonObject | null): Promise<JsonObject | null> {
  const properties = schema === null ? undefined : getOwn(schema, "properties");
  if (schema === null || !isJsonObject(properties)) return schema;
  const step = getOwn((await stepSchema()) ?? {}, "properties");
  const entries = Object.entries(properties).map(([name, property]): [string, Json] => {
    const shape = isJsonObject(step) ? getOwn(step, name) : undefined;
    const isKnown = isJsonObject(property) && SHAPES.some((key) => Object.hasOwn(property, key));
    return [name, isKnown || !isJsonObject(property) || !isJsonObject(shape) ? property : { ...shape, ...property }];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}

const SHAPES = ["type", "anyOf", "oneOf", "enum", "const"];

function memberAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? getOwn(at, key) : undefined), value);
}
