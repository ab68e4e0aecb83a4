import type { PathSegment } from "../base/index.ts";
import { skipSpace } from "./json-scan.ts";
import type { Member, Spot } from "./source-tree.ts";

/**
 * Finds places by reading the text again, and only the lists and maps on the way to them, each once. The text has
 * been scanned before, so nothing here has to doubt its grammar.
 */
export class JsonSpot implements Spot {
  readonly start: number;
  readonly #text: string;
  #members: ReadonlyMap<PathSegment, Member> | null = null;

  constructor(text: string, start: number) {
    this.#text = text;
    this.start = start;
  }

  child(segment: PathSegment): Member | undefined {
    this.#members ??= membersAt(this.#text, this.start);
    return this.#members.get(segment);
  }
}

function membersAt(text: string, start: number): ReadonlyMap<PathSegment, Member> {
  const members = new Map<PathSegment, Member>();
  const isMap = text[start] === "{";
  if (!isMap && text[start] !== "[") return members;
  let position = skipSpace(text, start + 1);
  for (let index = 0; text[position] !== "}" && text[position] !== "]"; index += 1) {
    const keyStart = position;
    let segment: PathSegment = index;
    if (isMap) {
      const keyEnd = endOfQuoted(text, position);
      segment = String(JSON.parse(text.slice(position, keyEnd)));
      position = skipSpace(text, skipSpace(text, keyEnd) + 1);
    }
    // Of a key set twice the last value counts, as it does when the value is built.
    members.set(segment, { keyStart, spot: new JsonSpot(text, position) });
    position = skipSpace(text, endOfValue(text, position));
    if (text[position] === ",") position = skipSpace(text, position + 1);
  }
  return members;
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
