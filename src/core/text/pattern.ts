import { RE2JS } from "re2js";
import { fail, LIMITS, succeed, type Outcome } from "../base/index.ts";
import { boundStates } from "./pattern-size.ts";

/** A compiled pattern. It matches anywhere in the text unless its author anchors it with `^` and `$`. */
export interface Pattern {
  test(value: string): boolean;
}

/** Maximum number of states. A few characters with nested repetitions can take seconds and a gigabyte to compile. */
const STATES_MAX = 100_000;

type Compiled = Outcome<Pattern, string>;

interface Kept {
  readonly compiled: Compiled;
  readonly states: number;
}

/** Compilation is pure, so caching its results is safe. */
const compiledByText = new Map<string, Kept>();
const COMPILED_MAX = 256;
/** Maximum number of states of all cached patterns, which take about 100 bytes each. */
const KEPT_STATES_MAX = 1_000_000;
let keptStates = 0;

/** Compiles an author's pattern for an engine whose time is linear in the length of the text. */
export function compilePattern(text: string): Compiled {
  if (text.length > LIMITS.patternLengthMax) {
    return fail(`the pattern has ${text.length} characters; at most ${LIMITS.patternLengthMax} are allowed`);
  }
  const known = compiledByText.get(text);
  if (known !== undefined) return known.compiled;
  const states = patternStates(text);
  if (states > STATES_MAX) return fail(`its repetitions make ${states} states; at most ${STATES_MAX} are allowed`);
  const compiled = compileAnew(text);
  compiledByText.set(text, { compiled, states });
  keptStates += states;
  forgetOldest();
  return compiled;
}

function forgetOldest(): void {
  for (const [text, { states }] of compiledByText) {
    if (compiledByText.size <= COMPILED_MAX && keptStates <= KEPT_STATES_MAX) return;
    compiledByText.delete(text);
    keptStates -= states;
  }
}

/** Returns an upper bound of the states that the engine may track at each character of a text. */
export function patternStates(text: string): number {
  return boundStates(inEngineSpelling(text));
}

function compileAnew(text: string): Compiled {
  try {
    const expression = RE2JS.compile(inEngineSpelling(text));
    return succeed({ test: (value) => expression.test(value) });
  } catch (error) {
    return fail(reasonFor(text, error instanceof Error ? error.message : String(error)));
  }
}

/** Authors write `\u0041` and `\u{1F600}`; the engine expects `\x{…}` for both. All other escapes stay unchanged. */
function inEngineSpelling(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|[^])/g,
    (escape, four: string | undefined, braced: string | undefined) => {
      const digits = four ?? braced;
      return digits === undefined ? escape : `\\x{${digits}}`;
    },
  );
}

/** Features that a linear-time engine cannot support. Checked first, for a clearer message than that of the engine. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, "look-ahead and look-behind, (?=…), (?!…), (?<=…) and (?<!…), are not supported"],
  [/\\[1-9]|\\k</, "references back to a group, such as \\1, are not supported"],
  [/\(\?>|[*+?}]\+/, "atomic groups and possessive repetition are not supported"],
];

function reasonFor(text: string, message: string): string {
  for (const [feature, reason] of UNSUPPORTED) {
    if (feature.test(text)) return reason;
  }
  return message
    .replace(/^error parsing regexp: /, "")
    .replace("invalid repeat count", "a repetition counts to more than 1000 in all")
    .replace("invalid or unsupported Perl syntax", "unknown group syntax");
}
