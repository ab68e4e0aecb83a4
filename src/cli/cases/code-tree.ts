import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Place,
  type TreePath,
} from "../../core/base/index.ts";
import type { SourceTree } from "../../core/text/index.ts";

/**
 * The content of a file of cases that code has made. The place of a case is that of its name in the code, and the place
 * of a part that of its key behind the name. What is made elsewhere, or under a calculated name, is at the beginning.
 */
export function codeTree(code: string, document: JsonObject): SourceTree {
  const placeOf = (path: TreePath): Place => placeAt(code, offsetOf(code, document, path));
  return { value: document, placeOf, keyPlaceOf: placeOf };
}

function offsetOf(code: string, { cases }: JsonObject, [, index, ...keys]: TreePath): number {
  const list = isJsonArray(cases) && typeof index === "number" ? cases : [];
  const start = list.length === 0 ? -1 : nameOffset(code, list[Number(index)]);
  if (start === -1) return 0;
  const next = nameOffset(code, list[Number(index) + 1]);
  const end = next > start ? next : code.length;
  let at = start;
  for (const key of keys) {
    const found = typeof key === "string" ? keyOffset(code, key, at) : -1;
    if (found !== -1 && found < end) at = found;
  }
  return at;
}

function nameOffset(code: string, one: Json | undefined): number {
  const name = isJsonObject(one) ? one["name"] : undefined;
  if (typeof name !== "string") return -1;
  const offsets = ['"', "'", "`"].map((quote) => code.indexOf(`${quote}${name}${quote}`));
  return offsets.find((offset) => offset !== -1) ?? -1;
}

function keyOffset(code: string, key: string, from: number): number {
  const escaped = key.replaceAll(/[^\w]/g, "\\$&");
  const found = new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`).exec(code.slice(from));
  return found === null ? -1 : from + found.index;
}

function placeAt(code: string, offset: number): Place {
  const lines = code.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
