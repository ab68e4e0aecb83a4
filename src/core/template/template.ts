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

/** A value in `with`: references stay references until the child is started. */
export type WithValue =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "text"; readonly template: StepTemplate }
  | { readonly kind: "list"; readonly items: readonly WithValue[] }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, WithValue>> };

/** A `param_overrides` text: literal pieces, and `[[node.path]]`. */
export interface OverrideTemplate {
  readonly text: string;
  readonly parts: readonly (string | { readonly nodeId: string; readonly path: string })[];
}

export type OverrideValue =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "text"; readonly template: OverrideTemplate };
