import type { Path } from "../expression/expression.ts";

/** A text with references, cut once: single pass, so that a value is never expanded again. */
export interface StepTemplate {
  readonly text: string;
  readonly parts: readonly (string | Path)[];
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
