import { LIMITS, type PathSegment } from "../base/index.ts";
import type { ProblemList } from "./problem-list.ts";
import { addDuplicateKey, addForbiddenKey, addTooDeep, checkNumber, isForbiddenKey, storableText } from "./rules.ts";

/** `broken`: not valid JSON, with the position. `refused`: problems were added and no value is usable. */
export type JsonScan =
  | { readonly kind: "sound" }
  | { readonly kind: "refused" }
  | { readonly kind: "broken"; readonly offset: number; readonly reason: string };

/**
 * Checks the grammar in one pass, and everything that a plain JSON parser would accept silently: duplicate or forbidden keys,
 * depth, numbers and texts that would be changed. The platform builds the values afterwards.
 */
export function scanJson(text: string, problems: ProblemList): JsonScan {
  return new Scanner(text, problems).scan();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST_OPEN = 0x5b;
const LIST_CLOSE = 0x5d;
const BACKSLASH = 0x5c;
const MAP_OPEN = 0x7b;
const MAP_CLOSE = 0x7d;
const LETTER_U = 0x75;
const SHORT_ESCAPES = '"\\/bfnrt';
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
/** A shorter number is always exact and, without an exponent, finite. */
const SAFE_NUMBER_LENGTH = 15;

class Scanner {
  readonly #text: string;
  readonly #problems: ProblemList;
  readonly #path: PathSegment[] = [];
  /** One set of keys per depth is enough, because only one map is open at each depth. */
  readonly #keysAtDepth: Set<string>[] = [];
  #position = 0;
  #broken: { readonly offset: number; readonly reason: string } | null = null;
  #isUsable = true;

  constructor(text: string, problems: ProblemList) {
    this.#text = text;
    this.#problems = problems;
  }

  scan(): JsonScan {
    this.#skipSpace();
    if (this.#value(0)) {
      this.#skipSpace();
      if (this.#position < this.#text.length) this.#break("there is more text after the end of the value");
    }
    if (this.#broken !== null) return { kind: "broken", ...this.#broken };
    return { kind: this.#isUsable ? "sound" : "refused" };
  }

  /** Every read method returns whether reading may continue. */
  #value(depth: number): boolean {
    switch (this.#text.charCodeAt(this.#position)) {
      case QUOTE:
        return this.#textValue();
      case MAP_OPEN:
        return this.#mayNest(depth) && this.#map(depth + 1);
      case LIST_OPEN:
        return this.#mayNest(depth) && this.#list(depth + 1);
      case 0x74:
        return this.#literal("true");
      case 0x66:
        return this.#literal("false");
      case 0x6e:
        return this.#literal("null");
      default:
        return this.#number();
    }
  }

  #mayNest(depth: number): boolean {
    if (depth < LIMITS.textDepthMax) return true;
    addTooDeep(this.#problems, this.#position, this.#path);
    return this.#refuse();
  }

  #refuse(): false {
    this.#isUsable = false;
    return false;
  }

  #literal(word: string): boolean {
    if (!this.#text.startsWith(word, this.#position)) return this.#break("expected a value here");
    this.#position += word.length;
    return true;
  }

  #list(depth: number): boolean {
    this.#position += 1;
    this.#skipSpace();
    if (this.#take(LIST_CLOSE)) return true;
    const level = this.#path.push(0) - 1;
    for (let index = 0; ; index += 1) {
      this.#path[level] = index;
      if (!this.#value(depth)) return false;
      this.#skipSpace();
      if (this.#take(LIST_CLOSE)) break;
      if (!this.#take(COMMA)) return this.#break("expected , or ] here");
      this.#skipSpace();
    }
    this.#path.pop();
    return true;
  }

  #map(depth: number): boolean {
    this.#position += 1;
    this.#skipSpace();
    if (this.#take(MAP_CLOSE)) return true;
    const keys = (this.#keysAtDepth[depth] ??= new Set());
    if (keys.size > 0) keys.clear();
    for (;;) {
      if (!this.#member(depth, keys)) return false;
      this.#skipSpace();
      if (this.#take(MAP_CLOSE)) return true;
      if (!this.#take(COMMA)) return this.#break("expected , or } here");
      this.#skipSpace();
    }
  }

  #member(depth: number, keys: Set<string>): boolean {
    const start = this.#position;
    if (this.#text.charCodeAt(start) !== QUOTE) return this.#break("expected a key in double quotes here");
    const key = this.#quoted();
    if (key === null) return false;
    this.#path.push(key);
    if (isForbiddenKey(key)) addForbiddenKey(this.#problems, start, this.#path, key);
    else if (keys.has(key)) addDuplicateKey(this.#problems, start, this.#path, key);
    else keys.add(key);
    if (this.#problems.isFull) return this.#refuse();
    this.#skipSpace();
    if (!this.#take(COLON)) return this.#break("expected : after the key");
    this.#skipSpace();
    if (!this.#value(depth)) return false;
    this.#path.pop();
    return true;
  }

  #textValue(): boolean {
    const start = this.#position;
    const escapes = this.#skipQuoted();
    // Only an escape can produce characters that the text itself cannot contain.
    if (escapes === "codes") storableText(this.#problems, start, this.#path, this.#decoded(start));
    return this.#problems.isFull ? this.#refuse() : escapes !== null;
  }

  #quoted(): string | null {
    const start = this.#position;
    const escapes = this.#skipQuoted();
    if (escapes === null) return null;
    if (escapes === "none") return this.#text.slice(start + 1, this.#position - 1);
    const key = this.#decoded(start);
    storableText(this.#problems, start, [...this.#path, key], key);
    return key;
  }

  #decoded(start: number): string {
    return String(JSON.parse(this.#text.slice(start, this.#position)));
  }

  /** Moves past the closing quote and returns the kind of escapes found. Null when the text is broken. */
  #skipQuoted(): "none" | "letters" | "codes" | null {
    let escapes: "none" | "letters" | "codes" = "none";
    for (let position = this.#position + 1; position < this.#text.length; position += 1) {
      const unit = this.#text.charCodeAt(position);
      if (unit === QUOTE) {
        this.#position = position + 1;
        return escapes;
      }
      if (unit < 0x20) return this.#breakText(position, "a control character or line end stands unescaped in a text");
      if (unit !== BACKSLASH) continue;
      const length = this.#escapeLength(position + 1);
      if (length === 0) return this.#breakText(position, "there is an unknown escape in a text");
      if (length > 1) escapes = "codes";
      else if (escapes === "none") escapes = "letters";
      position += length;
    }
    return this.#breakText(this.#position, "this text is never closed");
  }

  #escapeLength(position: number): 0 | 1 | 5 {
    if (position >= this.#text.length) return 0;
    if (this.#text.charCodeAt(position) !== LETTER_U)
      return SHORT_ESCAPES.includes(this.#text.charAt(position)) ? 1 : 0;
    return /^[0-9a-fA-F]{4}$/.test(this.#text.slice(position + 1, position + 5)) ? 5 : 0;
  }

  #number(): boolean {
    NUMBER.lastIndex = this.#position;
    if (!NUMBER.test(this.#text)) return this.#break("expected a value here");
    const start = this.#position;
    this.#position = NUMBER.lastIndex;
    const written = this.#text.slice(start, this.#position);
    if (written.length < SAFE_NUMBER_LENGTH && !/[eE]/.test(written)) return true;
    if (!checkNumber(this.#problems, start, this.#path, written, Number(written))) this.#isUsable = false;
    return this.#problems.isFull ? this.#refuse() : true;
  }

  #take(unit: number): boolean {
    if (this.#text.charCodeAt(this.#position) !== unit) return false;
    this.#position += 1;
    return true;
  }

  #skipSpace(): void {
    this.#position = skipSpace(this.#text, this.#position);
  }

  #break(reason: string): false {
    this.#broken = { offset: this.#position, reason };
    return false;
  }

  #breakText(offset: number, reason: string): null {
    this.#broken = { offset, reason };
    return null;
  }
}

export function skipSpace(text: string, from: number): number {
  let position = from;
  for (;;) {
    const unit = text.charCodeAt(position);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return position;
    position += 1;
  }
}
