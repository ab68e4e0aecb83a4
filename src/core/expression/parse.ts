import { fail, LIMITS, succeed, type Outcome } from "../base/index.ts";
import { type Cursor, expectedOperator, isMark, isTooDeep, peek, tooDeep } from "./cursor.ts";
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
  ParsedExpression,
  SyntaxProblem,
} from "./expression.ts";
import { parsePostfix } from "./parse-operand.ts";
import { readTokens, type Mark, type Token } from "./token.ts";

/**
 * Precedence, strongest first: `.name`, `[…]` and calls, then `!` and `-` before a value, `* / %`, `+ -`, one comparison
 * or
 * `in`, the word `not`, `and`, `or`, `??`, and last `? :`. People read `not a in b` as `not (a in b)`, and `!a == b` as
 * CEL does. Comparisons do not chain. Chains of `and`, `or` and `??` nest to the right, so that a loop evaluates them.
 * Chains of arithmetic nest to the left, and only the text length limits them. All other nesting is limited.
 */

export type Parsed = Outcome<Expression, SyntaxProblem>;

export function parseExpression(text: string): Outcome<ParsedExpression, SyntaxProblem> {
  return parseBetween(text, 0, text.length);
}

/** Parses the expression between two positions of a longer text. Its positions refer to that text. */
export function parseBetween(source: string, start: number, end: number): Outcome<ParsedExpression, SyntaxProblem> {
  if (end - start > LIMITS.expressionLengthMax) {
    return fail({
      message: `the expression has ${end - start} characters, and ${LIMITS.expressionLengthMax} are allowed`,
      position: start + LIMITS.expressionLengthMax,
      hint: "compute part of it in a step and compare its output",
    });
  }
  const text = source.slice(0, end);
  const tokens = readTokens(text, start);
  if (!tokens.ok) return tokens;
  const cursor: Cursor = { text, tokens: tokens.value, at: 0, paths: [], locals: [] };
  if (peek(cursor).text === "") {
    return fail({
      message: "the expression is empty",
      position: start,
      hint: "write a comparison, or leave the field out",
    });
  }
  const root = parseChoice(cursor, 0);
  if (!root.ok) return root;
  if (!isMark(peek(cursor), "end")) return fail(expectedOperator(cursor));
  return succeed({ text: text.slice(start), root: root.value, paths: cursor.paths });
}

/** Parses `condition ? a : b`. Another choice after the colon does not count as deeper nesting. */
export function parseChoice(cursor: Cursor, depth: number): Parsed {
  const condition = parseChain(cursor, "??", depth);
  if (!condition.ok || !isMark(peek(cursor), "?")) return condition;
  const { position } = peek(cursor);
  if (isTooDeep(depth)) return fail(tooDeep(position));
  cursor.at += 1;
  const whenTrue = parseChoice(cursor, depth + 1);
  if (!whenTrue.ok) return whenTrue;
  if (!isMark(peek(cursor), ":")) {
    return fail({ message: 'the "?" has no ":"', position, hint: "a choice is written condition ? a : b" });
  }
  cursor.at += 1;
  const otherwise = parseChoice(cursor, depth);
  if (!otherwise.ok) return otherwise;
  return succeed({
    kind: "choice",
    condition: condition.value,
    whenTrue: whenTrue.value,
    otherwise: otherwise.value,
    position,
  });
}

type ChainMark = "??" | "or" | "and";
const CHAIN_KINDS = { "??": "coalesce", or: "or", and: "and" } as const;

function parseChain(cursor: Cursor, mark: ChainMark, depth: number): Parsed {
  const operands: Expression[] = [];
  const positions: number[] = [];
  for (;;) {
    const operand = parseChained(cursor, mark, depth);
    if (!operand.ok) return operand;
    operands.push(operand.value);
    const next = peek(cursor);
    if (!isMark(next, mark)) break;
    positions.push(next.position);
    cursor.at += 1;
  }
  const kind = CHAIN_KINDS[mark];
  return succeed(
    operands.reduceRight((right, left, index) => ({ kind, left, right, position: positions[index] ?? 0 })),
  );
}

function parseChained(cursor: Cursor, mark: ChainMark, depth: number): Parsed {
  if (mark === "??") return parseChain(cursor, "or", depth);
  return mark === "or" ? parseChain(cursor, "and", depth) : parseComparison(cursor, depth);
}

function parseComparison(cursor: Cursor, depth: number): Parsed {
  if (peek(cursor).text === "not") return parsePrefix(cursor, "not", depth, parseComparison);
  const left = parseSum(cursor, depth);
  if (!left.ok) return left;
  const { position } = peek(cursor);
  const operator = comparisonOf(peek(cursor));
  if (operator === undefined) return left;
  cursor.at += 1;
  const right = parseSum(cursor, depth);
  if (!right.ok) return right;
  if (comparisonOf(peek(cursor)) !== undefined) {
    return fail({
      message: "comparisons cannot be chained",
      position: peek(cursor).position,
      hint: "join them with and, as in a < b and b < c, or use parentheses",
    });
  }
  if (operator === "in") return succeed({ kind: "in", value: left.value, list: right.value, position });
  return succeed({ kind: "compare", operator, left: left.value, right: right.value, position });
}

const SUMS: readonly Mark[] = ["+", "-"] satisfies ArithmeticOperator[];
const PRODUCTS: readonly Mark[] = ["*", "/", "%"] satisfies ArithmeticOperator[];

function parseSum(cursor: Cursor, depth: number): Parsed {
  return parseArithmetic(cursor, depth, SUMS, parseProduct);
}

function parseProduct(cursor: Cursor, depth: number): Parsed {
  return parseArithmetic(cursor, depth, PRODUCTS, parseUnary);
}

function parseArithmetic(
  cursor: Cursor,
  depth: number,
  operators: readonly Mark[],
  parseOperand: typeof parseUnary,
): Parsed {
  let left = parseOperand(cursor, depth);
  while (left.ok) {
    const token = peek(cursor);
    const operator = token.kind === "mark" && operators.includes(token.mark) ? token.mark : undefined;
    if (operator === undefined) return left;
    cursor.at += 1;
    const right = parseOperand(cursor, depth);
    if (!right.ok) return right;
    left = succeed({
      kind: "arithmetic",
      operator: operator as ArithmeticOperator,
      left: left.value,
      right: right.value,
      position: token.position,
    });
  }
  return left;
}

function parseUnary(cursor: Cursor, depth: number): Parsed {
  if (isMark(peek(cursor), "not")) return parsePrefix(cursor, "not", depth, parseUnary);
  return isMark(peek(cursor), "-")
    ? parsePrefix(cursor, "negate", depth, parseUnary)
    : parsePostfix(cursor, depth, parseChoice);
}

function parsePrefix(cursor: Cursor, kind: "not" | "negate", depth: number, parseOperand: typeof parseUnary): Parsed {
  const { position } = peek(cursor);
  if (isTooDeep(depth)) return fail(tooDeep(position));
  cursor.at += 1;
  const operand = parseOperand(cursor, depth + 1);
  return operand.ok ? succeed({ kind, operand: operand.value, position }) : operand;
}

const COMPARISONS: readonly Mark[] = ["==", "!=", ">", ">=", "<", "<="] satisfies ComparisonOperator[];

function comparisonOf(token: Token): ComparisonOperator | "in" | undefined {
  if (token.kind !== "mark") return undefined;
  return token.mark === "in" || isComparison(token.mark) ? token.mark : undefined;
}

function isComparison(mark: Mark): mark is ComparisonOperator {
  return COMPARISONS.includes(mark);
}
