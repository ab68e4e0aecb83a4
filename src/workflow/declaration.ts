import type { JsonObject } from "../core/base/index.ts";
import { fieldOfSchema } from "./field.ts";
import type { Operand, Reference } from "./reference.ts";
import type { OutputOf, Schema } from "./schema.ts";

const DECLARATION = Symbol.for("sluice.declaration");

/** A value, and the field that it must match. */
export interface Declaration {
  readonly value: unknown;
  readonly field: JsonObject;
}

/** Returns an input or output whose value is checked against a schema: `total: typed(read.total, z.number())`. */
export function typed<S extends Schema>(value: Operand<OutputOf<S>>, schema: S): Reference<OutputOf<S>> {
  const declaration: Declaration = { value, field: fieldOfSchema(schema, "typed") };
  // Only this room reads the declaration. For the compiler it has the type of the value.
  return { [DECLARATION]: declaration } as unknown as Reference<OutputOf<S>>;
}

export function declarationOf(value: unknown): Declaration | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { readonly [DECLARATION]?: Declaration })[DECLARATION];
}
