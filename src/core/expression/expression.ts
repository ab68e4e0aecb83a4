import type { Json, ProblemCode } from "../base/index.ts";

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
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

interface Placed {
  /** Offset of the value or of the operator, for messages that point at it. */
  readonly position: number;
}

export type Expression = Placed &
  (
    | { readonly kind: "literal"; readonly value: null | boolean | number | string }
    | { readonly kind: "path"; readonly path: Path }
    /** A parameter of an enclosing lambda, walked into; `slot` is where its value is kept while it is applied. */
    | {
        readonly kind: "local";
        readonly text: string;
        readonly slot: number;
        readonly segments: readonly (string | number)[];
      }
    | { readonly kind: "list"; readonly items: readonly Expression[] }
    | { readonly kind: "object"; readonly members: readonly ObjectMember[] }
    | { readonly kind: "not"; readonly operand: Expression }
    | { readonly kind: "negate"; readonly operand: Expression }
    | { readonly kind: "and"; readonly left: Expression; readonly right: Expression }
    | { readonly kind: "or"; readonly left: Expression; readonly right: Expression }
    | { readonly kind: "coalesce"; readonly left: Expression; readonly right: Expression }
    | {
        readonly kind: "compare";
        readonly operator: ComparisonOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: "arithmetic";
        readonly operator: ArithmeticOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: "in"; readonly value: Expression; readonly list: Expression }
    | {
        readonly kind: "choice";
        readonly condition: Expression;
        readonly whenTrue: Expression;
        readonly otherwise: Expression;
      }
    | { readonly kind: "index"; readonly target: Expression; readonly index: Expression }
    | { readonly kind: "field"; readonly target: Expression; readonly name: string }
    | {
        readonly kind: "slice";
        readonly target: Expression;
        readonly from: Expression | null;
        readonly to: Expression | null;
      }
    | { readonly kind: "call"; readonly name: string; readonly args: readonly Argument[] }
  );

export interface ObjectMember {
  readonly key: string;
  readonly value: Expression;
}

/** `x => x.price`: only ever an argument, so that it cannot be kept, returned or called again. */
export interface Lambda extends Placed {
  readonly kind: "lambda";
  readonly parameters: readonly string[];
  /** Slot of the first parameter; the others follow. */
  readonly slot: number;
  readonly body: Expression;
}

export type Argument = Expression | Lambda;

export interface ParsedExpression {
  readonly text: string;
  readonly root: Expression;
  /** Every path in it, in order, for dependency inference. Parameters of lambdas are none. */
  readonly paths: readonly Path[];
}

/** What a path means at the moment of evaluation; `undefined` is `missing`. */
export type ResolvePath = (path: Path) => Json | undefined;

/** Why a text does not read, and at which offset; the reader of the file turns it into a problem with a place. */
export interface SyntaxProblem {
  readonly message: string;
  readonly position: number;
  readonly hint?: string;
  /** When the reason has a code of its own; otherwise the reader of the file says what was read. */
  readonly code?: Extract<ProblemCode, "unknown_function" | "bad_pattern">;
}

/** Why an expression has no value: the values do not fit, or it takes more than it may. */
export interface ExpressionFailure {
  readonly code: "expression_error" | "expression_limit";
  /** A sentence for the author, with the column. */
  readonly message: string;
}
