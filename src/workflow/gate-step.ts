import { addStep } from "./add-step.ts";
import type { Nothing } from "./reference.ts";
import type { ApprovalOptions, StepOptions, StepRef, Text } from "./step-options.ts";

/** A field that a person fills in. */
export type FormField =
  | "text"
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | {
      readonly type?: "text" | "string" | "number" | "integer" | "boolean" | "enum" | "date";
      readonly label?: Text;
      readonly description?: Text;
      readonly enum?: readonly (string | number)[];
      readonly default?: Text | number | boolean | null;
      readonly required?: boolean;
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: string;
    };

type Entered<F> = F extends "number" | "integer" | { readonly type: "number" | "integer" }
  ? number
  : F extends "boolean" | { readonly type: "boolean" }
    ? boolean
    : F extends { readonly enum: readonly (infer Member)[] }
      ? Member
      : string;

export interface GateOptions<F> extends StepOptions, ApprovalOptions {
  /** Fields that the person fills in. They can be read as outputs of the gate. */
  readonly form?: F;
}

/** Adds a gate: a step at which a person must approve. */
export function gate<const F extends Readonly<Record<string, FormField>> = Nothing>(
  id: string,
  options: GateOptions<F> = {},
): StepRef<{ approved: boolean } & { [Name in keyof F]: Entered<F[Name]> }> {
  return addStep("gate", id, options, { approval: "required" });
}
