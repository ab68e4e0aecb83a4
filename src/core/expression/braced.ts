import { LIMITS, succeed, type Outcome } from "../base/index.ts";
import type { ParsedExpression, Path, SyntaxProblem } from "./expression.ts";
import { skipSpace } from "./name.ts";
import { parseBetween } from "./parse.ts";
import { scanBracedPath } from "./path.ts";

/** The content of `${…}` at a position of a text, and the position where the text continues. */
export interface FoundReference {
  readonly reference: Path | ParsedExpression;
  readonly end: number;
}

/** Foreign syntax such as `${1}`, and a reference inside a reference, are errors and not values. */
const NO_EXPRESSION = /^(?:$|\d+\s*$|\$\{)/;

/**
 * Reads `${path}` or `${expression}` at this position. Text that can be a path is a path, so that `${my-arg}` is a name.
 * When neither can be read, the problem of the one that was read further is returned, and of a call that of the expression.
 */
export function scanBraced(text: string, start: number): Outcome<FoundReference, SyntaxProblem> {
  const path = scanBracedPath(text, start);
  if (path.ok) return succeed({ reference: path.value.path, end: path.value.end });
  const from = skipSpace(text, start + 2);
  const close = findClosing(text, from);
  if (close === undefined || NO_EXPRESSION.test(text.slice(from, close))) return path;
  const parsed = parseBetween(text, from, close);
  if (parsed.ok) return succeed({ reference: parsed.value, end: close + 1 });
  // A name before a bracket is a call, and no path.
  const isCall = text.startsWith("(", path.failure.position);
  const isFurther = parsed.failure.code !== undefined || parsed.failure.position > path.failure.position;
  return isCall || isFurther ? parsed : path;
}

/** Finds the closing brace for a position, counting only quotes and braces. */
function findClosing(text: string, from: number): number | undefined {
  const last = Math.min(text.length, from + LIMITS.expressionLengthMax + 1);
  let depth = 0;
  let quote = "";
  for (let at = from; at < last; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}
