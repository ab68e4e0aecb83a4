import { fail, LIMITS, required, succeed, type Outcome } from "../base/index.ts";
import type { ComparisonOperator, Expression, ParsedExpression, Path, SyntaxProblem } from "./expression.ts";
import { readTokens, type Mark, type Token } from "./token.ts";

/*
 * Binding, strongest first: `!`, then one comparison or `in`, then the word `not`, then `and`, then `or`: people read
 * `not a in b` as `not (a in b)`, and `!a == b` as CEL does. Comparisons do not chain. Chains of `and` and of `or` lean to the right, so that evaluating one is a loop and
 * the only nesting left is the author's own, which is bounded.
 */

type Parsed = Outcome<Expression, SyntaxProblem>;

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
  readonly paths: Path[];
}

const COMPARISONS: readonly Mark[] = ["==", "!=", ">", ">=", "<", "<="] satisfies ComparisonOperator[];

export function parseExpression(text: string): Outcome<ParsedExpression, SyntaxProblem> {
  if (text.length > LIMITS.expressionLengthMax) {
    return fail({
      message: `the expression has ${text.length} characters, and ${LIMITS.expressionLengthMax} are allowed`,
      position: LIMITS.expressionLengthMax,
      hint: "compute part of it in a step and compare its output",
    });
  }
  const tokens = readTokens(text);
  if (!tokens.ok) return tokens;
  const cursor: Cursor = { tokens: tokens.value, at: 0, paths: [] };
  if (peek(cursor).text === "") {
    return fail({
      message: "the expression is empty",
      position: 0,
      hint: "write a comparison, or leave the field out",
    });
  }
  const root = parseChain(cursor, "or", 0);
  if (!root.ok) return root;
  if (!isMark(peek(cursor), "end")) return fail(expectedOperator(cursor));
  return succeed({ text, root: root.value, paths: cursor.paths });
}

function parseChain(cursor: Cursor, kind: "and" | "or", depth: number): Parsed {
  const operands: Expression[] = [];
  for (;;) {
    const operand = kind === "or" ? parseChain(cursor, "and", depth) : parseComparison(cursor, depth);
    if (!operand.ok) return operand;
    operands.push(operand.value);
    if (!isMark(peek(cursor), kind)) break;
    cursor.at += 1;
  }
  return succeed(operands.reduceRight((right, left) => ({ kind, left, right })));
}

function parseComparison(cursor: Cursor, depth: number): Parsed {
  if (peek(cursor).text === "not") return parseNot(cursor, depth, parseComparison);
  const left = parseUnary(cursor, depth);
  if (!left.ok) return left;
  const operator = comparisonOf(peek(cursor));
  if (operator === undefined) return left;
  cursor.at += 1;
  const right = parseUnary(cursor, depth);
  if (!right.ok) return right;
  if (comparisonOf(peek(cursor)) !== undefined) {
    return fail({
      message: "comparisons cannot be chained",
      position: peek(cursor).position,
      hint: "join them with and, as in a < b and b < c, or use parentheses",
    });
  }
  if (operator === "in") return succeed({ kind: "in", value: left.value, list: right.value });
  return succeed({ kind: "compare", operator, left: left.value, right: right.value });
}

function parseUnary(cursor: Cursor, depth: number): Parsed {
  return isMark(peek(cursor), "not") ? parseNot(cursor, depth, parseUnary) : parsePrimary(cursor, depth);
}

function parseNot(cursor: Cursor, depth: number, parseOperand: typeof parseUnary): Parsed {
  if (depth >= LIMITS.expressionDepthMax) return fail(tooDeep(peek(cursor).position));
  cursor.at += 1;
  const operand = parseOperand(cursor, depth + 1);
  return operand.ok ? succeed({ kind: "not", operand: operand.value }) : operand;
}

function parsePrimary(cursor: Cursor, depth: number): Parsed {
  const token = peek(cursor);
  if (token.kind === "literal") {
    cursor.at += 1;
    return succeed({ kind: "literal", value: token.value });
  }
  if (token.kind === "path") {
    cursor.at += 1;
    if (isMark(peek(cursor), "(")) return fail(functionCall(token.path));
    cursor.paths.push(token.path);
    return succeed({ kind: "path", path: token.path });
  }
  if (token.mark !== "(" && token.mark !== "[") return fail(expectedOperand(token));
  if (depth >= LIMITS.expressionDepthMax) return fail(tooDeep(token.position));
  cursor.at += 1;
  return token.mark === "(" ? parseGroup(cursor, token, depth + 1) : parseList(cursor, token, depth + 1);
}

function parseGroup(cursor: Cursor, open: Token, depth: number): Parsed {
  const inner = parseChain(cursor, "or", depth);
  if (!inner.ok) return inner;
  if (!isMark(peek(cursor), ")")) return fail(notClosed(cursor, open, ")"));
  cursor.at += 1;
  return inner;
}

function parseList(cursor: Cursor, open: Token, depth: number): Parsed {
  const items: Expression[] = [];
  let hasMore = !isMark(peek(cursor), "]");
  while (hasMore) {
    const item = parseChain(cursor, "or", depth);
    if (!item.ok) return item;
    items.push(item.value);
    hasMore = isMark(peek(cursor), ",");
    if (hasMore) cursor.at += 1;
  }
  if (!isMark(peek(cursor), "]")) return fail(notClosed(cursor, open, "]"));
  cursor.at += 1;
  return succeed({ kind: "list", items });
}

function peek(cursor: Cursor): Token {
  return required(cursor.tokens[cursor.at], "the parser never reads past the end token");
}

function isMark(token: Token, mark: Mark): boolean {
  return token.kind === "mark" && token.mark === mark;
}

function comparisonOf(token: Token): ComparisonOperator | "in" | undefined {
  if (token.kind !== "mark") return undefined;
  return token.mark === "in" || isComparison(token.mark) ? token.mark : undefined;
}

function isComparison(mark: Mark): mark is ComparisonOperator {
  return COMPARISONS.includes(mark);
}

function tooDeep(position: number): SyntaxProblem {
  return {
    message: `the expression is nested deeper than ${LIMITS.expressionDepthMax}`,
    position,
    hint: "leave out parentheses that change nothing",
  };
}

function functionCall(path: Path): SyntaxProblem {
  const last = path.segments.at(-1);
  const isSize = last === "size" || last === "len" || last === "length" || last === "count";
  return {
    message: `"${path.text}" cannot be called: expressions have no functions`,
    position: path.position,
    hint: isSize ? "write path.length for the size of a list or text" : "compare values with == != > >= < <= or in",
  };
}

function expectedOperand(token: Token): SyntaxProblem {
  const found = token.text === "" ? "the expression ends" : `"${token.text}" stands`;
  return {
    message: `${found} where a value is expected`,
    position: token.position,
    hint: "a value is a path, a number, a text in quotes, true, false, null or a list",
  };
}

function expectedOperator(cursor: Cursor): SyntaxProblem {
  const token = peek(cursor);
  const { position } = token;
  if (isMark(token, ")") || isMark(token, "]")) {
    return { message: `"${token.text}" closes nothing`, position, hint: "remove it, or open it before" };
  }
  if (isMark(token, "not")) {
    return { message: "not stands between two values", position, hint: "write not (a in b), or a != b" };
  }
  return {
    message: `"${token.text}" stands where an operator is expected`,
    position,
    hint: "join values with == != > >= < <= in, and, or; put texts in quotes",
  };
}

function notClosed(cursor: Cursor, open: Token, close: string): SyntaxProblem {
  const token = peek(cursor);
  if (token.text !== "" && token.kind !== "mark") return expectedOperator(cursor);
  const hint = open.text === "[" ? `separate items with "," and end the list with "]"` : `close it with "${close}"`;
  return { message: `the "${open.text}" is never closed`, position: open.position, hint };
}
