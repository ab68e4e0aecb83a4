import { fail, succeed, type Outcome } from "../base/index.ts";
import type { ArithmeticOperator, ComparisonOperator, Path, SyntaxProblem } from "./expression.ts";
import { findForeignSymbol, LOOKALIKES } from "./foreign.ts";
import { characterAt, readAt, readName, skipSpace } from "./name.ts";
import { scanPath } from "./path.ts";

export type Mark =
  | ComparisonOperator
  | ArithmeticOperator
  | "in"
  | "and"
  | "or"
  | "not"
  | "??"
  | "?"
  | ":"
  | "=>"
  | "("
  | ")"
  | "["
  | "]"
  | "{"
  | "}"
  | ","
  | "end";

interface Placed {
  readonly position: number;
  /** The source text, for messages. */
  readonly text: string;
}
export type Token =
  | (Placed & { readonly kind: "mark"; readonly mark: Mark })
  | (Placed & { readonly kind: "literal"; readonly value: null | boolean | number | string })
  | (Placed & { readonly kind: "path"; readonly path: Path })
  /** A `.name` after a value that is not a path. */
  | (Placed & { readonly kind: "field"; readonly name: string });

type Read = Outcome<Token, SyntaxProblem>;

const SYMBOLS: readonly (readonly [string, Mark])[] = [
  ["==", "=="],
  ["!=", "!="],
  [">=", ">="],
  ["<=", "<="],
  ["=>", "=>"],
  ["??", "??"],
  ["&&", "and"],
  ["||", "or"],
  [">", ">"],
  ["<", "<"],
  ["!", "not"],
  ["+", "+"],
  ["-", "-"],
  ["*", "*"],
  ["/", "/"],
  ["%", "%"],
  ["?", "?"],
  [":", ":"],
  ["{", "{"],
  ["}", "}"],
  ["(", "("],
  [")", ")"],
  ["[", "["],
  ["]", "]"],
  [",", ","],
];
const WORDS: ReadonlyMap<string, Mark> = new Map([
  ["and", "and"],
  ["or", "or"],
  ["not", "not"],
  ["in", "in"],
]);
const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
const NUMBER_START = /[+-]?\d/y;
const NUMBER_RUN = /[+-]?[\p{L}\p{N}_.]+(?:(?<=[eE])[+-]\d+)?/uy;
const DECIMAL = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Splits an expression into tokens, starting at a position. The last token is `end`. */
export function readTokens(text: string, start: number): Outcome<readonly Token[], SyntaxProblem> {
  const tokens: Token[] = [];
  let at = skipSpace(text, start);
  while (at < text.length) {
    const read = readToken(text, at, endsOperand(tokens.at(-1)));
    if (!read.ok) return read;
    tokens.push(read.value);
    at = skipSpace(text, at + read.value.text.length);
  }
  tokens.push({ kind: "mark", mark: "end", position: text.length, text: "" });
  return succeed(tokens);
}

/** After a value, `-` and `+` are operators and not the sign of a number. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind !== "mark" || token.mark === ")" || token.mark === "]" || token.mark === "}";
}

function readToken(text: string, at: number, isBehindOperand: boolean): Read {
  const first = text.charAt(at);
  if (first === "'" || first === '"') return readText(text, at, first);
  if (!isBehindOperand && readAt(NUMBER_START, text, at) !== undefined) return readNumber(text, at);
  if (first === "$") return readPath(text, at);
  const word = readName(text, at, "plain");
  if (word !== undefined) return readWord(text, at, word);
  if (first === "." && isBehindOperand) {
    const name = readName(text, at + 1, "plain");
    if (name !== undefined) return succeed({ kind: "field", name, position: at, text: `.${name}` });
  }
  const foreign = findForeignSymbol(text, at);
  if (foreign !== undefined) return fail(foreign);
  const symbol = SYMBOLS.find(([written]) => text.startsWith(written, at));
  if (symbol !== undefined) return succeed({ kind: "mark", mark: symbol[1], position: at, text: symbol[0] });
  if (first >= "0" && first <= "9") return readNumber(text, at);
  return fail({ message: `"${characterAt(text, at)}" has no meaning in an expression`, position: at });
}

function readWord(text: string, at: number, word: string): Read {
  // A step may be called `in` or `not`. Before a dot, such a word can only be the first name of a path.
  if (text.startsWith(".", at + word.length)) return readPath(text, at);
  const mark = WORDS.get(word);
  if (mark !== undefined) return succeed({ kind: "mark", mark, position: at, text: word });
  const constant = CONSTANTS.get(word);
  if (constant !== undefined) return succeed({ kind: "literal", value: constant, position: at, text: word });
  const meant = LOOKALIKES.get(word);
  if (meant === undefined || text.startsWith("[", at + word.length)) return readPath(text, at);
  return fail({
    message: `"${word}" is not a word of expressions`,
    position: at,
    hint: `write ${meant}, or \${${word}} for a variable of that name`,
  });
}

function readPath(text: string, at: number): Read {
  const found = scanPath(text, at, "plain");
  if (!found.ok) return found;
  const { path } = found.value;
  return succeed({ kind: "path", path, position: at, text: path.text });
}

function readNumber(text: string, at: number): Read {
  const written = readAt(NUMBER_RUN, text, at) ?? text.charAt(at);
  const value = Number(written);
  if (!DECIMAL.test(written)) {
    return fail({
      message: `"${written}" is not a number`,
      position: at,
      hint: "write plain decimals such as 12, -3 or 0.5; names start with a letter or _",
    });
  }
  if (!Number.isFinite(value)) return fail({ message: `${written} is too large for a number`, position: at });
  // JSON has no negative zero.
  return succeed({ kind: "literal", value: value === 0 ? 0 : value, position: at, text: written });
}

function readText(text: string, at: number, quote: string): Read {
  let value = "";
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === quote) {
      return succeed({ kind: "literal", value, position: at, text: text.slice(at, index + 1) });
    }
    if (character !== "\\") {
      value += character;
      continue;
    }
    index += 1;
    const meant = ESCAPES.get(text.charAt(index));
    if (meant !== undefined) value += meant;
    else if (index < text.length) return fail(unknownEscape(text, index));
  }
  return fail({
    message: `the text that starts with ${quote} is never closed`,
    position: at,
    hint: `close it with ${quote}`,
  });
}

function unknownEscape(text: string, index: number): SyntaxProblem {
  return {
    message: `"\\${characterAt(text, index)}" is not an escape`,
    position: index - 1,
    hint: "the escapes are \\\\ \\' \\\" \\n \\r \\t; write \\\\ for a backslash",
  };
}
