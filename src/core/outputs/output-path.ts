import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { Envelope } from "../event/index.ts";

const WHOLE_TEXT_KEY = "output";
/** Enough digits for any list index, and few enough to remain an exact number. */
const INDEX_DIGITS_MAX = 9;

/** Parses `a.b[0].c` into segments. Undefined when the text is not such a path. */
export function parseOutputPath(key: string): readonly (string | number)[] | undefined {
  const text = key.trim();
  const segments: (string | number)[] = [];
  let position = 0;
  while (position < text.length) {
    if (text[position] === "[") {
      const end = text.indexOf("]", position);
      const digits = end === -1 ? "" : text.slice(position + 1, end);
      if (!isIndex(digits)) return undefined;
      segments.push(Number(digits));
      position = end + 1;
    } else {
      if (segments.length > 0) {
        if (text[position] !== ".") return undefined;
        position += 1;
      }
      const end = endOfName(text, position);
      if (end === position) return undefined;
      segments.push(text.slice(position, end));
      position = end;
    }
  }
  return segments.length === 0 ? undefined : segments;
}

/** Returns the value that an edge or an override reads. A path without a value is missing and never resolves to the whole text. */
export function resolveOutputPath(outputData: JsonObject, envelope: Envelope, key: string): Json | undefined {
  if (key.trim() === WHOLE_TEXT_KEY) return envelope.output;
  const path = parseOutputPath(key);
  if (path === undefined) return undefined;
  const found = walkOwn(outputData, path);
  if (found !== undefined || envelope.data === undefined) return found;
  return walkOwn(envelope.data, path);
}

function walkOwn(start: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = start;
  for (const segment of path) {
    if (isJsonArray(value)) value = elementAt(value, segment);
    else if (isJsonObject(value) && typeof segment === "string") value = getOwn(value, segment);
    else return undefined;
  }
  return value;
}

/** `items[0]` and `items.0` are equivalent. A list has no other members, not even `length`. */
function elementAt(list: readonly Json[], segment: string | number): Json | undefined {
  if (typeof segment === "number") return list[segment];
  return isIndex(segment) ? list[Number(segment)] : undefined;
}

function isIndex(text: string): boolean {
  return text.length <= INDEX_DIGITS_MAX && /^\d+$/.test(text);
}

function endOfName(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== "." && text[end] !== "[" && text[end] !== "]") end += 1;
  return end;
}
