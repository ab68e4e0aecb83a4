import { LIMITS, succeed, type Outcome } from "../base/index.ts";
import type { ParsedExpression, Path, SyntaxProblem } from "./expression.ts";
import { skipSpace } from "./name.ts";
import { parseBetween } from "./parse.ts";
import { scanBracedPath } from "./path.ts";

/** What stands in `${…}` at a place of a text, and where that text continues. */
export interface FoundReference {
  readonly reference: Path | ParsedExpression;
  readonly end: number;
}

/** Someone else's `${1}`, and a reference in a reference, are mistakes and not values. */
const NO_EXPRESSION = /^(?:$|\d+\s*$|\$\{)/;

/**
 * `${path}` or `${expression}` at this place. What reads as a path is one, so that `${my-arg}` is a name; what is neither
 * gets the problem of the one that was read further.
 */
export function scanBraced(text: string, start: number): Outcome<FoundReference, SyntaxProblem> {
  const path = scanBracedPath(text, start);
  if (path.ok) return succeed({ reference: path.value.path, end: path.value.end });
  const from = skipSpace(text, start + 2);
  const close = findClosing(text, from);
  if (close === undefined || NO_EXPRESSION.test(text.slice(from, close))) return path;
  const parsed = parseBetween(text, from, close);
  if (parsed.ok) return succeed({ reference: parsed.value, end: close + 1 });
  const isFurther = parsed.failure.code !== undefined || parsed.failure.position > path.failure.position;
  return isFurther ? parsed : path;
}

/** The brace that closes what was opened before this place, by quotes and braces alone. */
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
