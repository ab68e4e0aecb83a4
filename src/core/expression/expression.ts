import type { Json, ProblemCode } from "../base/index.ts";

/**
 * A dotted path as written: `step.outputs.a[0]`, `$step.approved`, `${name}`. The sigil is only spelling.
 * Whether the first name is a step, a variable or an element is decided when the plan is made.
 */
export interface Path {
  readonly text: string;
  readonly segments: readonly (string | number)[];
  /** Offset in the expression or template, for problems that point to it. */
  readonly position: number;
}

export type ComparisonOperator = "==" | "!=" | ">" | ">=" | "<" | "<=";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

interface Placed {
  /** Offset of the value or operator, for messages that point to it. */
  readonly position: number;
}

export type Expression = Placed &
  (
    | { readonly kind: "literal"; readonly value: null | boolean | number | string }
    | { readonly kind: "path"; readonly path: Path }
    /** A path into a parameter of an enclosing lambda. `slot` is where the parameter's value is stored while the lambda runs. */
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

/** `x => x.price`. A lambda can only be an argument, so it cannot be stored, returned or called again. */
export interface Lambda extends Placed {
  readonly kind: "lambda";
  readonly parameters: readonly string[];
  /** Slot of the first parameter. The slots of the others follow. */
  readonly slot: number;
  readonly body: Expression;
}

export type Argument = Expression | Lambda;

export interface ParsedExpression {
  readonly text: string;
  readonly root: Expression;
  /** Every path in the expression, in order, for dependency inference. Parameters of lambdas are not included. */
  readonly paths: readonly Path[];
}

/** Resolves a path during evaluation. `undefined` means missing. */
export type ResolvePath = (path: Path) => Json | undefined;

/** The reason why a text cannot be parsed, and its offset. The file reader turns it into a problem with a place. */
export interface SyntaxProblem {
  readonly message: string;
  readonly position: number;
  readonly hint?: string;
  /** Set when the reason has a code of its own. Otherwise the file reader chooses a code for the kind of text. */
  readonly code?: Extract<ProblemCode, "unknown_function" | "bad_pattern">;
}

/** The reason why an expression has no value: its values have the wrong kind, or it exceeds a limit. */
export interface ExpressionFailure {
  readonly code: "expression_error" | "expression_limit";
  /** A sentence for the author that contains the column. */
  readonly message: string;
}
