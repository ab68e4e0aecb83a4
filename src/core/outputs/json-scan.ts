/** Result of scanning one object or list: its span, or the position where the scan failed. */
export type JsonScan = { readonly ok: true; readonly span: JsonSpan } | ({ readonly ok: false } & BrokenScan);

export interface BrokenScan {
  readonly failedAt: number;
  /** The first complete list or object inside the broken part, and the first complete object. */
  readonly whole: JsonSpan | undefined;
  readonly wholeObject: JsonSpan | undefined;
  /** The first bracket inside a supposed string. In prose, a value may start there. */
  readonly hiddenBracket: number | undefined;
}

export interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

type Expected = "value" | "value-or-close" | "key" | "key-or-close" | "colon" | "comma-or-close";

/** Scans the object or list that starts here by the JSON grammar, in one pass and without recursion. */
export function scanContainer(text: string, start: number): JsonScan {
  // Two parallel stacks: the start of each open container, and the greatest depth found in it so far.
  const starts: number[] = [];
  const depths: number[] = [];
  let whole: JsonSpan | undefined;
  let wholeObject: JsonSpan | undefined;
  let hiddenBracket: number | undefined;
  let expected: Expected = "value";
  let position = start;
  for (;;) {
    position = skipSpace(text, position);
    const mark = text[position];
    const opening = starts.at(-1);
    const isObject = opening !== undefined && text[opening] === "{";
    if (mark === "{" || mark === "[") {
      if (expected !== "value" && expected !== "value-or-close") break;
      starts.push(position);
      depths.push(1);
      expected = mark === "{" ? "key-or-close" : "value-or-close";
      position += 1;
    } else if (mark === "}" || mark === "]") {
      if (opening === undefined || isObject !== (mark === "}") || !mayClose(expected)) break;
      position += 1;
      const span = { start: opening, end: position, depth: depths.at(-1) ?? 1 };
      starts.pop();
      depths.pop();
      if (starts.length === 0) return { ok: true, span };
      depths.push(Math.max(depths.pop() ?? 1, span.depth + 1));
      whole = earlier(whole, span);
      if (isObject) wholeObject = earlier(wholeObject, span);
      expected = "comma-or-close";
    } else {
      const end = endOfToken(text, position, expected);
      if (end === undefined) break;
      if (mark === '"' && hiddenBracket === undefined) hiddenBracket = bracketWithin(text, position, end);
      expected = afterToken(expected, isObject);
      position = end;
    }
  }
  return { ok: false, failedAt: position, whole, wholeObject, hiddenBracket };
}

function earlier(known: JsonSpan | undefined, span: JsonSpan): JsonSpan {
  return known === undefined || span.start < known.start ? span : known;
}

function bracketWithin(text: string, start: number, end: number): number | undefined {
  const bracket = nextBracket(text, start, end);
  return bracket === end ? undefined : bracket;
}

/** Returns the position of the next opening bracket, or `end` when there is none before it. */
export function nextBracket(text: string, start: number, end: number): number {
  let position = start;
  while (position < end && text[position] !== "{" && text[position] !== "[") position += 1;
  return position;
}

function mayClose(expected: Expected): boolean {
  return expected === "comma-or-close" || expected === "key-or-close" || expected === "value-or-close";
}

/** Returns the end of the comma, colon, key or scalar expected here, or undefined when the text has something else. */
function endOfToken(text: string, position: number, expected: Expected): number | undefined {
  switch (expected) {
    case "comma-or-close":
      return text[position] === "," ? position + 1 : undefined;
    case "colon":
      return text[position] === ":" ? position + 1 : undefined;
    case "key":
    case "key-or-close":
      return endOfString(text, position);
    case "value":
    case "value-or-close":
      return endOfScalar(text, position);
  }
}

function afterToken(expected: Expected, isObject: boolean): Expected {
  switch (expected) {
    case "comma-or-close":
      return isObject ? "key" : "value";
    case "colon":
      return "value";
    case "key":
    case "key-or-close":
      return "colon";
    case "value":
    case "value-or-close":
      return "comma-or-close";
  }
}

/** Returns the end of the string, number or literal that starts here, or undefined when there is none. */
export function endOfScalar(text: string, start: number): number | undefined {
  if (text[start] === '"') return endOfString(text, start);
  for (const word of ["true", "false", "null"]) if (text.startsWith(word, start)) return start + word.length;
  return endOfNumber(text, start);
}

function endOfString(text: string, start: number): number | undefined {
  if (text[start] !== '"') return undefined;
  let position = start + 1;
  while (position < text.length) {
    const unit = text.charCodeAt(position);
    if (unit === 0x22) return position + 1;
    if (unit < 0x20) return undefined;
    if (unit === 0x5c) {
      const length = escapeLength(text, position);
      if (length === 0) return undefined;
      position += length;
    } else position += 1;
  }
  return undefined;
}

function escapeLength(text: string, position: number): number {
  const mark = text[position + 1] ?? "";
  if (mark === "u") return /^[0-9A-Fa-f]{4}$/.test(text.slice(position + 2, position + 6)) ? 6 : 0;
  return mark !== "" && '"\\/bfnrt'.includes(mark) ? 2 : 0;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** A number that is too large (1e999) would be read as infinity, which JSON cannot represent. */
function endOfNumber(text: string, start: number): number | undefined {
  NUMBER.lastIndex = start;
  const digits = NUMBER.exec(text)?.[0];
  return digits !== undefined && Number.isFinite(Number(digits)) ? start + digits.length : undefined;
}

export function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length) {
    const unit = text.charCodeAt(position);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break;
    position += 1;
  }
  return position;
}
