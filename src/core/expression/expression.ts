import type { Json } from "../base/index.ts";

/**
 * A dotted path as written: `step.outputs.a[0]`, `$step.approved`, `${name}`. The sigil is only spelling;
 * what the head means (a step, a variable, an element) is decided when the plan is made.
 */
export interface Path {
  readonly text: string;
  readonly segments: readonly (string | number)[];
  /** Offset in the expression or template, for problems that point at it. */
  readonly position: number;
}

export type ComparisonOperator = "==" | "!=" | ">" | ">=" | "<" | "<=";

export type Expression =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "not"; readonly operand: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "compare";
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "in"; readonly value: Expression; readonly list: Expression };

export interface ParsedExpression {
  readonly text: string;
  readonly root: Expression;
  /** Every path in it, in order, for dependency inference. */
  readonly paths: readonly Path[];
}

/** What a path means at the moment of evaluation; `undefined` is `missing`. */
export type ResolvePath = (path: Path) => Json | undefined;

/** Why a text does not read, and at which offset; the reader of the file turns it into a problem with a place. */
export interface SyntaxProblem {
  readonly message: string;
  readonly position: number;
  readonly hint?: string;
}
