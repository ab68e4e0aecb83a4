import { LIMITS, required } from "../base/index.ts";
import type { Path, SyntaxProblem } from "./expression.ts";
import type { Mark, Token } from "./token.ts";

/** The position of the parser, and the paths it has found so far. */
export interface Cursor {
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
  readonly paths: Path[];
  /** Names of the parameters of the enclosing lambdas. The index of a name is its slot. */
  readonly locals: string[];
}

export function peek(cursor: Cursor): Token {
  return required(cursor.tokens[cursor.at], "the parser never reads past the end token");
}

export function peekAt(cursor: Cursor, ahead: number): Token | undefined {
  return cursor.tokens[cursor.at + ahead];
}

export function isMark(token: Token | undefined, mark: Mark): boolean {
  return token !== undefined && token.kind === "mark" && token.mark === mark;
}

export function endOf(token: Token): number {
  return token.position + token.text.length;
}

export function isTooDeep(depth: number): boolean {
  return depth >= LIMITS.expressionDepthMax;
}

export function tooDeep(position: number): SyntaxProblem {
  return {
    message: `the expression is nested deeper than ${LIMITS.expressionDepthMax}`,
    position,
    hint: "leave out parentheses that change nothing, or compute part of it in a step",
  };
}

export function expectedOperand(token: Token): SyntaxProblem {
  const found = token.text === "" ? "the expression ends" : `"${token.text}" stands`;
  return {
    message: `${found} where a value is expected`,
    position: token.position,
    hint: "a value is a path, a number, a text in quotes, true, false, null, a list, an object or a call",
  };
}

export function expectedOperator(cursor: Cursor): SyntaxProblem {
  const token = peek(cursor);
  const { position } = token;
  if (isMark(token, ")") || isMark(token, "]") || isMark(token, "}")) {
    return { message: `"${token.text}" closes nothing`, position, hint: "remove it, or open it before" };
  }
  if (isMark(token, "not")) {
    return { message: "not stands between two values", position, hint: "write not (a in b), or a != b" };
  }
  if (isMark(token, "=>")) {
    return {
      message: '"=>" is not an operator',
      position,
      hint: "use >= for greater or equal; x => … stands only in a call, as in map(list, x => x.name)",
    };
  }
  if (isMark(token, ":")) {
    return { message: '":" has no "?" before it', position, hint: "a choice is written condition ? a : b" };
  }
  if (isMark(token, "[") || token.kind === "field") {
    return {
      message: `"${token.text}" stands where an operator is expected`,
      position,
      hint: "an index or a field follows its path without a space",
    };
  }
  return {
    message: `"${token.text}" stands where an operator is expected`,
    position,
    hint: "join values with + - * / %, == != > >= < <= in, and, or, ??; put texts in quotes",
  };
}

export function notClosed(cursor: Cursor, open: Token, close: string): SyntaxProblem {
  const token = peek(cursor);
  if (token.text !== "" && (token.kind !== "mark" || isMark(token, ":") || isMark(token, "=>"))) {
    return expectedOperator(cursor);
  }
  const hint = HINTS.get(open.text) ?? `close it with "${close}"`;
  return { message: `the "${open.text}" is never closed`, position: open.position, hint };
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["[", `separate items with "," and end the list with "]"`],
  ["{", `separate members with "," and end the object with "}"`],
]);
