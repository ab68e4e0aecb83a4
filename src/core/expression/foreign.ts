import type { SyntaxProblem } from "./expression.ts";

/** Words of other languages. They would otherwise be read as unknown variables, and so silently as false. */
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

const PATTERN = "there is no operator for patterns";
const CURLY_QUOTE = "this quotation mark does not start a text";

/** Symbols of other languages, with the replacement to write. Longer symbols come first. */
const SYMBOLS: readonly (readonly [symbol: string, message: string, hint: string])[] = [
  ["===", '"===" is not an operator', "use == to compare"],
  ["!==", '"!==" is not an operator', "use != to compare"],
  ["=~", PATTERN, "write matches(text, 'pattern'), or compare with == or in"],
  ["!~", PATTERN, "write not matches(text, 'pattern')"],
  ["=<", '"=<" is not an operator', "use <= for less or equal"],
  ["<>", '"<>" is not an operator', "use != to compare"],
  ["**", '"**" is not an operator', "multiply: x * x"],
  ["//", '"//" is not an operator', "write floor(a / b)"],
  ["...", '"..." is not an operator', "join objects with merge(a, b) and lists with flatten([a, b])"],
  ["?.", '"?." is not an operator', "write a.b: what is missing on the way is missing, and no error"],
  ["~", PATTERN, "write matches(text, 'pattern'), or compare with == or in"],
  ["`", "expressions have no template texts", "write texts in ' or \"; join them with +"],
  ["‘", CURLY_QUOTE, "use the straight ' or \""],
  ["’", CURLY_QUOTE, "use the straight ' or \""],
  ["“", CURLY_QUOTE, "use the straight ' or \""],
  ["”", CURLY_QUOTE, "use the straight ' or \""],
  [".", "a path starts with a name", "write numbers with a digit before the point, such as 0.5"],
];

/** Operators of which only half was written. */
const HALVES: ReadonlyMap<string, { readonly message: string; readonly hint: string }> = new Map([
  ["=", { message: "an expression cannot assign", hint: "use == to compare" }],
  ["&", { message: '"&" is not an operator', hint: "write and, or &&" }],
  ["|", { message: '"|" is not an operator', hint: "write or, or ||; functions are called as upper(name)" }],
]);

/** Returns a helpful problem for a symbol that does not exist in expressions. */
export function findForeignSymbol(text: string, position: number): SyntaxProblem | undefined {
  for (const [symbol, message, hint] of SYMBOLS) {
    if (text.startsWith(symbol, position)) return { message, position, hint };
  }
  // The `=` of `=>` is not half an operator.
  if (text.startsWith("=>", position)) return undefined;
  const half = HALVES.get(text.charAt(position));
  if (half === undefined || text.charAt(position) === text.charAt(position + 1)) return undefined;
  return { message: half.message, position, hint: half.hint };
}

interface Meant {
  /** The function here that does the same. */
  readonly name?: string;
  readonly hint?: string;
}

const NO_CLOCK = "expressions have no clock; use run.started_at";

/** Functions of other languages, each with the function to use here. */
export const FOREIGN_FUNCTIONS: ReadonlyMap<string, Meant> = new Map<string, Meant>([
  ["len", { name: "length" }],
  ["size", { name: "length" }],
  ["lowercase", { name: "lower" }],
  ["toLowerCase", { name: "lower" }],
  ["toLower", { name: "lower" }],
  ["uppercase", { name: "upper" }],
  ["toUpperCase", { name: "upper" }],
  ["toUpper", { name: "upper" }],
  ["strip", { name: "trim" }],
  ["replaceAll", { name: "replace" }],
  ["includes", { name: "contains" }],
  ["startsWith", { name: "starts_with" }],
  ["startswith", { name: "starts_with" }],
  ["endsWith", { name: "ends_with" }],
  ["endswith", { name: "ends_with" }],
  ["match", { name: "matches" }],
  ["regex", { name: "matches" }],
  ["test", { name: "matches" }],
  ["substr", { name: "substring" }],
  ["padStart", { name: "pad" }],
  ["padEnd", { name: "pad" }],
  ["int", { name: "number" }],
  ["float", { name: "number" }],
  ["parseInt", { name: "number" }],
  ["parseFloat", { name: "number" }],
  ["Number", { name: "number" }],
  ["str", { name: "string" }],
  ["String", { name: "string" }],
  ["toString", { name: "string" }],
  ["Boolean", { name: "bool" }],
  ["typeof", { name: "type" }],
  ["mean", { name: "avg" }],
  ["average", { name: "avg" }],
  ["ceiling", { name: "ceil" }],
  ["some", { name: "any" }],
  ["every", { name: "all" }],
  ["where", { name: "filter" }],
  ["select", { name: "filter" }],
  ["distinct", { name: "unique" }],
  ["uniq", { name: "unique" }],
  ["sorted", { name: "sort" }],
  ["orderBy", { name: "sort_by" }],
  ["sortBy", { name: "sort_by" }],
  ["groupBy", { name: "group_by" }],
  ["flat", { name: "flatten" }],
  ["head", { name: "first" }],
  ["limit", { name: "take" }],
  ["drop", { name: "skip" }],
  ["offset", { name: "skip" }],
  ["indexOf", { name: "index_of" }],
  ["items", { name: "entries" }],
  ["assign", { name: "merge" }],
  ["exists", { name: "has" }],
  ["default", { name: "coalesce" }],
  ["toJSON", { name: "json" }],
  ["to_json", { name: "json" }],
  ["stringify", { name: "json" }],
  ["fromJSON", { name: "parse_json" }],
  ["from_json", { name: "parse_json" }],
  ["sha256", { name: "hash" }],
  ["btoa", { name: "base64" }],
  ["encodeURIComponent", { name: "url_encode" }],
  ["slice", { hint: "write list[1:3]" }],
  ["concat", { hint: "join texts with +, and lists with flatten([a, b])" }],
  ["if", { hint: "write condition ? a : b" }],
  ["iff", { hint: "write condition ? a : b" }],
  ["reduce", { hint: "use sum, min, max, join or group_by" }],
  ["now", { hint: NO_CLOCK }],
  ["today", { hint: NO_CLOCK }],
  ["random", { hint: "expressions know no chance; use hash(run.id)" }],
  ["uuid", { hint: "expressions know no chance; use run.id or hash(run.id)" }],
]);
