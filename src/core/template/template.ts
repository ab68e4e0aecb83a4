import type { Json } from "../base/index.ts";
import type { ParsedExpression, Path } from "../expression/index.ts";

/** What stands between `${` and `}`: a path, or something to calculate. */
export type StepReference = Path | ParsedExpression;

/** A text with references, cut once: single pass, so that a value is never expanded again. */
export interface StepTemplate {
  readonly text: string;
  readonly parts: readonly (string | StepReference)[];
}

/** One `[[label]]` or `{{label}}` of a lens template. */
export interface LensToken {
  /** As written inside the brackets. */
  readonly label: string;
  /** Lower case, white space as `_`: what labels are matched by. */
  readonly key: string;
  readonly isOptional: boolean;
  readonly type: string | null;
}

export interface LensTemplate {
  readonly text: string;
  readonly parts: readonly (string | LensToken)[];
}

/** A value as an author writes it: what is fixed, and what is filled in when it is needed. */
export type Value =
  | { readonly kind: "literal"; readonly value: Json }
  /** `id.outputs.field`, written without braces. */
  | { readonly kind: "reference"; readonly path: Path }
  /** A text that is one reference and nothing else keeps the value it refers to. */
  | { readonly kind: "template"; readonly template: StepTemplate }
  /** `{expr: …}` */
  | { readonly kind: "expression"; readonly expression: ParsedExpression }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Value>> };

export type Values = Readonly<Record<string, Value>>;

/** A `param_overrides` text: literal pieces, and `[[node.path]]`. */
export interface OverrideTemplate {
  readonly text: string;
  readonly parts: readonly (string | { readonly nodeId: string; readonly path: string })[];
}

export type OverrideValue =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "text"; readonly template: OverrideTemplate };
