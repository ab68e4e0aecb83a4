import type { Json } from "../base/index.ts";
import type { ParsedExpression, Path } from "../expression/index.ts";

/** The content between `${` and `}`: a path or an expression. */
export type StepReference = Path | ParsedExpression;

/** A text with references, parsed once and rendered in one pass, so that a value is never expanded again. */
export interface StepTemplate {
  readonly text: string;
  readonly parts: readonly (string | StepReference)[];
}

/** One `[[label]]` or `{{label}}` of a lens template. */
export interface LensToken {
  /** Text inside the brackets, as written. */
  readonly label: string;
  /** Lower case with white space as `_`: the form in which labels are compared. */
  readonly key: string;
  readonly isOptional: boolean;
  readonly type: string | null;
}

export interface LensTemplate {
  readonly text: string;
  readonly parts: readonly (string | LensToken)[];
}

/** A value in a definition: fixed parts, and parts that are filled in when the value is needed. */
export type Value =
  | { readonly kind: "literal"; readonly value: Json }
  /** `id.outputs.field`, written without braces. */
  | { readonly kind: "reference"; readonly path: Path }
  /** A text that consists of exactly one reference keeps the type of the value. */
  | { readonly kind: "template"; readonly template: StepTemplate }
  /** `{expr: …}` */
  | { readonly kind: "expression"; readonly expression: ParsedExpression }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Value>> };

export type Values = Readonly<Record<string, Value>>;

/** A `param_overrides` text: literal parts, and `[[node.path]]` references. */
export interface OverrideTemplate {
  readonly text: string;
  readonly parts: readonly (string | { readonly nodeId: string; readonly path: string })[];
}

export type OverrideValue =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "text"; readonly template: OverrideTemplate };
