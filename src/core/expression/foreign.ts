import type { SyntaxProblem } from "./expression.ts";

/** Words of other languages that would otherwise read as an unknown variable, and so silently as false. */
export const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["TRUE", "true"],
  ["False", "false"],
  ["FALSE", "false"],
  ["None", "null"],
  ["Null", "null"],
  ["NULL", "null"],
  ["nil", "null"],
  ["undefined", "null"],
  ["AND", "and"],
  ["OR", "or"],
  ["NOT", "not"],
  ["IN", "in"],
]);

const ARITHMETIC = "expressions compare values and do not calculate";
const PATTERN = "expressions have no patterns";
const CHOICE = "expressions have no ?: choice";
const CURLY_QUOTE = "this quotation mark does not start a text";

/** Symbols of other languages with what to write instead; longer ones first. */
const SYMBOLS: readonly (readonly [symbol: string, message: string, hint: string])[] = [
  ["===", '"===" is not an operator', "use == to compare"],
  ["!==", '"!==" is not an operator', "use != to compare"],
  ["=~", PATTERN, "declare a pattern on the output, or compare with == or in"],
  ["!~", PATTERN, "declare a pattern on the output, or compare with != or not"],
  ["=>", '"=>" is not an operator', "use >= for greater or equal"],
  ["=<", '"=<" is not an operator', "use <= for less or equal"],
  ["<>", '"<>" is not an operator', "use != to compare"],
  ["**", ARITHMETIC, "calculate in a step and compare its output"],
  ["+", ARITHMETIC, "calculate in a step and compare its output"],
  ["-", ARITHMETIC, "calculate in a step; a name with a hyphen is written ${like-this}"],
  ["*", ARITHMETIC, "calculate in a step and compare its output"],
  ["/", ARITHMETIC, "calculate in a step and compare its output"],
  ["%", ARITHMETIC, "calculate in a step and compare its output"],
  ["~", PATTERN, "declare a pattern on the output, or compare with == or in"],
  ["`", "expressions have no template texts", "write texts in ' or \""],
  ["?", CHOICE, "use and, or, not"],
  [":", CHOICE, "use and, or, not"],
  ["‘", CURLY_QUOTE, "use the straight ' or \""],
  ["’", CURLY_QUOTE, "use the straight ' or \""],
  ["“", CURLY_QUOTE, "use the straight ' or \""],
  ["”", CURLY_QUOTE, "use the straight ' or \""],
  ["{", "expressions have no objects", "references are written ${name}"],
  ["}", '"}" closes nothing', "references are written ${name}"],
  [".", "a path starts with a name", "write numbers with a digit before the point, such as 0.5"],
];

/** Operators of which only one half was written. */
const HALVES: ReadonlyMap<string, { readonly message: string; readonly hint: string }> = new Map([
  ["=", { message: "an expression cannot assign", hint: "use == to compare" }],
  ["&", { message: '"&" is not an operator', hint: "write and, or &&" }],
  ["|", { message: '"|" is not an operator', hint: "write or, or ||" }],
]);

/** The helpful problem for a symbol at this place that expressions do not have. */
export function findForeignSymbol(text: string, position: number): SyntaxProblem | undefined {
  for (const [symbol, message, hint] of SYMBOLS) {
    if (text.startsWith(symbol, position)) return { message, position, hint };
  }
  const half = HALVES.get(text.charAt(position));
  if (half === undefined || text.charAt(position) === text.charAt(position + 1)) return undefined;
  return { message: half.message, position, hint: half.hint };
}
