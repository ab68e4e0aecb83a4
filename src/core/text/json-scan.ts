import { LIMITS, type PathSegment } from "../base/index.ts";
import type { ProblemList } from "./problem-list.ts";
import { addDuplicateKey, addForbiddenKey, addTooDeep, checkNumber, isForbiddenKey, storableText } from "./rules.ts";

/** `broken`: not JSON, told where; `refused`: problems were added and there is no value to go on with. */
export type JsonScan =
  | { readonly kind: "sound" }
  | { readonly kind: "refused" }
  | { readonly kind: "broken"; readonly offset: number; readonly reason: string };

/**
 * One pass over the text that checks the grammar and everything a plain JSON parser would let through: keys set
 * twice or forbidden, depth, numbers and texts that would not survive. Values are built by the platform afterwards.
 */
export function scanJson(text: string, problems: ProblemList): JsonScan {
  return new Scanner(text, problems).scan();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LITERALS = ["true", "false", "null"] as const;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const SHORT_ESCAPES = '"\\/bfnrt';

class Scanner {
  readonly #text: string;
  readonly #problems: ProblemList;
  readonly #path: PathSegment[] = [];
  /** One set of keys per depth is enough: only one map at a time is open at each. */
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

  /** Every reader answers whether reading may go on. */
  #value(depth: number): boolean {
    const character = this.#text[this.#position];
    if (character === '"') return this.#textValue();
    if (character === "{" || character === "[") {
      if (depth === LIMITS.textDepthMax) {
        addTooDeep(this.#problems, this.#position, this.#path);
        this.#isUsable = false;
        return false;
      }
      return character === "{" ? this.#map(depth + 1) : this.#list(depth + 1);
    }
    const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#position));
    if (literal === undefined) return this.#number();
    this.#position += literal.length;
    return true;
  }

  #list(depth: number): boolean {
    this.#position += 1;
    this.#skipSpace();
    if (this.#take("]")) return true;
    for (let index = 0; ; index += 1) {
      this.#path.push(index);
      if (!this.#value(depth)) return false;
      this.#path.pop();
      this.#skipSpace();
      if (this.#take("]")) return true;
      if (!this.#take(",")) return this.#break("expected , or ] here");
      this.#skipSpace();
    }
  }

  #map(depth: number): boolean {
    const keys = (this.#keysAtDepth[depth] ??= new Set());
    keys.clear();
    this.#position += 1;
    this.#skipSpace();
    if (this.#take("}")) return true;
    for (;;) {
      if (!this.#member(depth, keys)) return false;
      this.#skipSpace();
      if (this.#take("}")) return true;
      if (!this.#take(",")) return this.#break("expected , or } here");
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
    else {
      keys.add(key);
      storableText(this.#problems, start, this.#path, key);
    }
    this.#skipSpace();
    if (!this.#take(":")) return this.#break("expected : after the key");
    this.#skipSpace();
    if (!this.#value(depth)) return false;
    this.#path.pop();
    return true;
  }

  #textValue(): boolean {
    const start = this.#position;
    const end = this.#endOfQuoted();
    if (end === null) return false;
    // Only an escape can write what the text as a whole may not hold.
    if (end.hasCodes) storableText(this.#problems, start, this.#path, this.#decoded(start));
    return true;
  }

  #quoted(): string | null {
    const start = this.#position;
    const end = this.#endOfQuoted();
    if (end === null) return null;
    return end.hasEscapes ? this.#decoded(start) : this.#text.slice(start + 1, this.#position - 1);
  }

  #decoded(start: number): string {
    return String(JSON.parse(this.#text.slice(start, this.#position)));
  }

  #endOfQuoted(): { readonly hasEscapes: boolean; readonly hasCodes: boolean } | null {
    const start = this.#position;
    let hasEscapes = false;
    let hasCodes = false;
    for (let position = start + 1; position < this.#text.length; position += 1) {
      const unit = this.#text.charCodeAt(position);
      if (unit === QUOTE) {
        this.#position = position + 1;
        return { hasEscapes, hasCodes };
      }
      if (unit < 0x20) {
        this.#position = position;
        this.#break("a control character or line end stands unescaped in a text");
        return null;
      }
      if (unit !== BACKSLASH) continue;
      hasEscapes = true;
      const length = this.#escapeLength(position + 1);
      if (length === 0) {
        this.#position = position;
        this.#break("unknown escape in a text");
        return null;
      }
      if (length > 1) hasCodes = true;
      position += length;
    }
    this.#break("this text is never closed");
    return null;
  }

  #escapeLength(position: number): 0 | 1 | 5 {
    const letter = this.#text[position];
    if (letter === undefined) return 0;
    if (letter !== "u") return SHORT_ESCAPES.includes(letter) ? 1 : 0;
    return /^[0-9a-fA-F]{4}$/.test(this.#text.slice(position + 1, position + 5)) ? 5 : 0;
  }

  #number(): boolean {
    NUMBER.lastIndex = this.#position;
    const written = NUMBER.exec(this.#text)?.[0];
    if (written === undefined) return this.#break("expected a value here");
    if (!checkNumber(this.#problems, this.#position, this.#path, written, Number(written))) this.#isUsable = false;
    this.#position += written.length;
    return true;
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false;
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
}

export function skipSpace(text: string, from: number): number {
  let position = from;
  for (;;) {
    const unit = text.charCodeAt(position);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return position;
    position += 1;
  }
}
