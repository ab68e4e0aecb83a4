/** Parses a one-line value in its common forms. Undefined when only the full parser can decide its meaning. */
export function plainScalar(written: string): string | number | boolean | null | undefined {
  const first = written.charAt(0);
  if (first === '"') return doubleQuoted(written);
  if (first === "'") return singleQuoted(written);
  if (WORD_VALUES.has(written)) return WORD_VALUES.get(written);
  if (NUMBER.test(written)) return Number(written);
  if (!FIRST_SIGNS.test(written) || SPECIAL.test(written)) return undefined;
  // Other text that starts like a number may be a number in another notation, unless it has several words.
  return NUMBER_LIKE.test(written) && !written.includes(" ") ? undefined : written;
}

const WORD_VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["null", "Null", "NULL", "~"].map((word) => [word, null] as const),
]);
/** Numbers short enough to be exact, so that no further check is needed. */
const NUMBER = /^(?:0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,8})\.[0-9]{1,6})$/;
const NUMBER_LIKE = /^[-+.0-9]/;
/** Letters of any language, digits, and characters without a special meaning in YAML at the start of a text. */
const FIRST_SIGNS = /^[\p{L}0-9_$/.(+<=^;~]/u;
/** A colon or number sign that may end the text, or white space other than single spaces. */
const SPECIAL = /:(?: |$)| #|[\t\r\u0085\u2028\u2029\ufeff]/;

function doubleQuoted(written: string): string | undefined {
  if (!/^"(?:[^"\\\t\r]|\\["\\/nrt])*"$/.test(written)) return undefined;
  return written.includes("\\")
    ? written.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => ESCAPES.get(sign) ?? sign)
    : written.slice(1, -1);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function singleQuoted(written: string): string | undefined {
  if (!/^'(?:[^'\t\r]|'')*'$/.test(written)) return undefined;
  return written.slice(1, -1).replaceAll("''", "'");
}
