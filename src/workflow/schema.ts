/** Schemas of any library that follows Standard Schema and can print JSON Schema: zod, ArkType, Valibot and others. */
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import { WorkflowError } from "./workflow-error.ts";

/** The part of Standard Schema that is used here. */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type InputOf<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];
export type OutputOf<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];

/** A schema of an object. */
export type ObjectSchema = Schema<object, object>;

type Print = (options: { readonly target: string }) => unknown;

export function unsupported(path: string, what: string, hint: string): WorkflowError {
  return new WorkflowError("schema_unsupported", path, `${path}: ${what}`, hint);
}

const HINT = "Args and outputs are texts, numbers, whole numbers, true or false, objects, lists and enums.";

/** Returns the values that a schema accepts, as JSON Schema. */
export function jsonSchemaOf(schema: Schema, path: string): JsonObject {
  const standard: unknown = (schema as Partial<Schema> | null)?.["~standard"];
  if (typeof standard !== "object" || standard === null) {
    throw unsupported(path, "this is no schema.", "Give a schema of zod, or of another library with Standard Schema.");
  }
  refuseZod(schema, path);
  const { jsonSchema } = standard as { readonly jsonSchema?: { readonly input?: Print } };
  if (typeof jsonSchema?.input !== "function") {
    throw unsupported(path, "its library cannot print JSON Schema.", "Use zod 4.2 or later, or another such library.");
  }
  try {
    const printed = jsonSchema.input({ target: "draft-2020-12" });
    if (isJsonObject(printed as JsonObject)) return printed as JsonObject;
  } catch (thrown) {
    throw unsupported(path, thrown instanceof Error ? `${thrown.message}.` : "it cannot be printed.", HINT);
  }
  throw unsupported(path, "its library printed no JSON Schema.", HINT);
}

const ZOD = "_zod";

/** The part of a zod schema that is checked, because its JSON Schema silently leaves out what it cannot express. */
interface ZodLike {
  readonly [ZOD]: { readonly def: ZodDefinition };
}
interface ZodDefinition {
  readonly type: string;
  readonly checks?: readonly { readonly [ZOD]?: { readonly def?: { readonly check?: string } } }[];
  readonly shape?: Readonly<Record<string, ZodLike>>;
  readonly element?: ZodLike;
  readonly innerType?: ZodLike;
  readonly options?: readonly ZodLike[];
  readonly items?: readonly ZodLike[];
  readonly valueType?: ZodLike;
  readonly in?: ZodLike;
  readonly out?: ZodLike;
  readonly transform?: unknown;
}

const REFUSED: Readonly<Record<string, string>> = {
  transform: "a transform changes values by code, which a definition cannot hold.",
  catch: "catch() replaces values by code, which a definition cannot hold.",
  custom: "a custom check is code, which a definition cannot hold.",
  lazy: "a schema that refers to itself cannot be expressed; a lazy one may do so.",
  date: "a date is no JSON.",
  bigint: "a bigint is no JSON.",
  symbol: "a symbol is no JSON.",
  function: "a function is no JSON.",
  map: "a Map is no JSON.",
  set: "a Set is no JSON.",
  promise: "a promise is no JSON.",
  undefined: "undefined is no JSON.",
  nan: "NaN is no JSON.",
};
const INSTEAD: Readonly<Record<string, string>> = {
  transform: "Calculate it in a step: set(id, { … }), or script(id, { … }).",
  custom: "Use min, max, length, regex or enum, or check it with success_criteria.",
  lazy: "Write z.array(z.unknown()) or z.record(z.string(), z.unknown()) where it repeats.",
  date: "Use z.iso.datetime(), or z.string().",
};

function isZod(value: unknown): value is ZodLike {
  return typeof value === "object" && value !== null && ZOD in value;
}

function refuseZod(schema: unknown, path: string, around: readonly unknown[] = []): void {
  if (!isZod(schema)) return;
  const { def } = schema[ZOD];
  const refuse = (kind: string): never => {
    throw unsupported(path, REFUSED[kind] ?? "it cannot be expressed.", INSTEAD[kind] ?? HINT);
  };
  // A getter can refer to the schema itself, without z.lazy().
  if (around.includes(schema)) refuse("lazy");
  if (Object.hasOwn(REFUSED, def.type)) refuse(def.type);
  const checks = new Set(def.checks?.map((check) => check[ZOD]?.def?.check));
  if (checks.has("custom")) refuse("custom");
  // `trim()` and the like are checks that change the value; a codec is a pipe with a transform of its own.
  if (checks.has("overwrite") || def.transform !== undefined) refuse("transform");
  const inside = (inner: unknown, at: string): void => refuseZod(inner, at, [...around, schema]);
  for (const [name, member] of Object.entries(def.shape ?? {})) inside(member, `${path}.${name}`);
  inside(def.element, `${path}[]`);
  inside(def.valueType, `${path}[]`);
  for (const inner of [def.innerType, def.in, def.out, ...(def.options ?? [])]) inside(inner, path);
  for (const [index, item] of (def.items ?? []).entries()) inside(item, `${path}[${index}]`);
}
