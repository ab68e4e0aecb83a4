import type { PathSegment } from "../base/index.ts";
import { skipSpace } from "./json-scan.ts";
import type { Member, Spot } from "./source-tree.ts";

/**
 * Finds places by scanning the text again, but only the lists and maps on the path to them, each once. The text has been
 * scanned before, so its grammar is known to be valid.
 */
export class JsonSpot implements Spot {
  readonly start: number;
  readonly #text: string;
  readonly #children = new Map<PathSegment, Member>();
  #itemStarts: readonly number[] | null = null;
  #memberStarts: ReadonlyMap<string, MemberStart> | null = null;

  constructor(text: string, start: number) {
    this.#text = text;
    this.start = start;
  }

  child(segment: PathSegment): Member | undefined {
    const known = this.#children.get(segment);
    if (known !== undefined) return known;
    const start = this.#startOf(segment);
    if (start === undefined) return undefined;
    const member = { keyStart: start.key, spot: new JsonSpot(this.#text, start.value) };
    this.#children.set(segment, member);
    return member;
  }

  #startOf(segment: PathSegment): MemberStart | undefined {
    const open = this.#text[this.start];
    if (typeof segment === "number") {
      if (open !== "[") return undefined;
      this.#itemStarts ??= itemStarts(this.#text, this.start);
      const start = this.#itemStarts[segment];
      return start === undefined ? undefined : { key: start, value: start };
    }
    if (open !== "{") return undefined;
    this.#memberStarts ??= memberStarts(this.#text, this.start);
    return this.#memberStarts.get(segment);
  }
}

interface MemberStart {
  readonly key: number;
  readonly value: number;
}

function itemStarts(text: string, start: number): readonly number[] {
  const starts: number[] = [];
  let position = skipSpace(text, start + 1);
  while (text[position] !== "]") {
    starts.push(position);
    position = nextInside(text, position);
  }
  return starts;
}

function memberStarts(text: string, start: number): ReadonlyMap<string, MemberStart> {
  const starts = new Map<string, MemberStart>();
  let key = skipSpace(text, start + 1);
  while (text[key] !== "}") {
    const keyEnd = endOfQuoted(text, key);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    // For a duplicate key the last value counts, as when the value is built.
    starts.set(String(JSON.parse(text.slice(key, keyEnd))), { key, value });
    key = nextInside(text, value);
  }
  return starts;
}

/** Returns the position after a value and the comma that follows it. */
function nextInside(text: string, value: number): number {
  const end = skipSpace(text, endOfValue(text, value));
  return text[end] === "," ? skipSpace(text, end + 1) : end;
}

function endOfQuoted(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === "\\" ? 2 : 1;
  return position + 1;
}

function endOfValue(text: string, start: number): number {
  let position = start;
  let depth = 0;
  do {
    const character = text[position];
    if (character === '"') {
      position = endOfQuoted(text, position);
      continue;
    }
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    else if (depth === 0) return endOfWord(text, position);
    position += 1;
  } while (depth > 0);
  return position;
}

function endOfWord(text: string, start: number): number {
  let position = start;
  while (position < text.length && !", \t\r\n]}".includes(text.charAt(position))) position += 1;
  return position;
}
