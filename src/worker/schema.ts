import type { JsonObject } from "../core/base/index.ts";
import { WorkerError } from "./worker-error.ts";

/** A schema of the Standard Schema family, such as zod's, that can print itself as JSON Schema. */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Input type of a schema. `OutputOf` is the type of its result. */
export type InputOf<S> = S extends Schema<infer Input, unknown> ? Input : never;
export type OutputOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : never;

type Side = "input" | "output";

/** Returns the schema of a function in the form for its registration. */
export function jsonSchemaOf(functionName: string, side: Side, schema: Schema): JsonObject {
  const at = `${functionName}.${side}`;
  const standard = isSchema(schema) ? schema["~standard"] : undefined;
  if (standard?.jsonSchema === undefined) {
    throw new WorkerError(
      "schema_unsupported",
      `${at} is no schema that can print JSON Schema. Use zod 4, or another library with Standard JSON Schema.`,
    );
  }
  const printed = print(schema, side);
  if (printed === null) {
    const path = unprintable(schema, side, at);
    throw new WorkerError(
      "schema_unsupported",
      `${path} cannot be written as JSON Schema. Leave out transforms, dates, functions and the like, and convert in run.`,
    );
  }
  const { $schema: _draft, ...rest } = printed;
  if (rest["type"] !== "object") {
    throw new WorkerError("schema_unsupported", `${at} must be a schema of an object: a step has named ${side}s.`);
  }
  return rest as JsonObject;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && "~standard" in value;
}

function print(schema: Schema, side: Side): Record<string, unknown> | null {
  try {
    return schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" }) ?? null;
  } catch {
    return null;
  }
}

/** Returns the path of the first member that cannot be printed, if the library gives access to members. */
function unprintable(schema: Schema, side: Side, at: string): string {
  const { shape, element } = schema as { shape?: unknown; element?: unknown };
  const members: readonly (readonly [string, unknown])[] = [
    ...Object.entries(typeof shape === "object" && shape !== null ? shape : {}).map(
      ([name, member]) => [`${at}.${name}`, member] as const,
    ),
    ...(element === undefined ? [] : [[`${at}[]`, element] as const]),
  ];
  for (const [path, member] of members) {
    if (isSchema(member) && print(member, side) === null) return unprintable(member, side, path);
  }
  return at;
}

/** Validates a value. Returns the value as the schema converts it, or a message about the problems. */
export async function validate<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
): Promise<{ readonly ok: true; readonly value: Output } | { readonly ok: false; readonly message: string }> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, message: result.issues.map(issueText).join("; ") };
}

function issueText({ message, path = [] }: Issue): string {
  const names = path.map((part) => String(typeof part === "object" ? part.key : part));
  return names.length === 0 ? message : `${names.join(".")}: ${message}`;
}
