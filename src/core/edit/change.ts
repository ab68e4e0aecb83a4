import { isMap, isSeq, type Node } from "yaml";
import { getOwn, isJsonArray, isJsonObject, type Json, type TreePath } from "../base/index.ts";
import {
  colonOf,
  columnOf,
  dashOf,
  endOf,
  isBracketed,
  itemsOf,
  keyOf,
  lineEnd,
  lineStart,
  nodeAt,
  pairEnd,
  pairOf,
  pairsOf,
  readDocument,
  spliced,
  startOf,
  type WrittenDocument,
  type WrittenPair,
} from "./document.ts";
import { inline, printEntry, printKey, printMember } from "./print-value.ts";

/** Sets the value at a path and returns the new text. The last segment may be a new key; `order` lists the usual order of keys. */
export function withValue(text: string, path: TreePath, value: Json, order: readonly string[] = []): string {
  const doc = readDocument(text);
  const key = path.at(-1);
  if (doc === null || key === undefined) return text;
  const parent = nodeAt(doc, path.slice(0, -1));
  if (typeof key === "number") return withEntryReplaced(doc, parent, key, value);
  if (!isMap(parent)) return withValue(text, path.slice(0, -1), { [key]: value }, order);
  const pair = pairOf(parent, key);
  const before = valueAt(doc.value, path);
  if (pair !== undefined && before !== undefined && isSame(before, value)) return text;
  const map = parent;
  if (isBracketed(map))
    return pairsOf(map).length === 0 && !doc.isJson
      ? refilled(doc, path, value)
      : inBrackets(doc, map, pair, key, value);
  return pair === undefined ? addedPair(text, map, key, value, order) : replacedValue(text, pair, key, value);
}

/** Replaces an empty map with a filled one. It has no style to preserve. */
function refilled({ text }: WrittenDocument, path: TreePath, value: Json): string {
  const parent = path.slice(0, -1);
  const filled = { [String(path.at(-1))]: value };
  return parent.length === 0 ? text : withValue(text, parent, filled);
}

function inBrackets(doc: WrittenDocument, map: Node, pair: WrittenPair | undefined, key: string, value: Json): string {
  const { text } = doc;
  const written = doc.isJson ? JSON.stringify(value) : inline(value);
  if (pair !== undefined) {
    const from = colonOf(pair, text) + 1;
    return spliced(text, from, pairEnd(pair, text), ` ${written}`);
  }
  const last = pairsOf(map).at(-1);
  const name = doc.isJson ? JSON.stringify(key) : printKey(key);
  if (last === undefined) return spliced(text, startOf(map) + 1, startOf(map) + 1, ` ${name}: ${written} `);
  const at = pairEnd(last, text);
  return spliced(text, at, at, `,${breakBefore(text, last.key)}${name}: ${written}`);
}

/** Returns a line break when the existing members are on lines of their own, otherwise a space. */
function breakBefore(text: string, member: Node): string {
  const column = columnOf(text, startOf(member));
  const isOwnLine = text.slice(lineStart(text, startOf(member)), startOf(member)).trim() === "";
  return isOwnLine ? `\n${" ".repeat(column)}` : " ";
}

function replacedValue(text: string, pair: WrittenPair, key: string, value: Json): string {
  const from = colonOf(pair, text) + 1;
  const to = pairEnd(pair, text);
  const column = columnOf(text, startOf(pair.key));
  const insert = printMember(value, column, key.length);
  const rest = text.slice(to, lineEnd(text, to));
  if (!insert.includes("\n") || rest.trim() === "") return spliced(text, from, to, insert);
  // A comment after the old value moves behind the key: below it, the comment would be parsed as text.
  const [head = "", ...lines] = insert.split("\n");
  return spliced(text, from, lineEnd(text, to), [`${head} ${rest.trim()}`, ...lines].join("\n"));
}

function addedPair(text: string, map: Node, key: string, value: Json, order: readonly string[]): string {
  const pairs = pairsOf(map);
  const rank = order.indexOf(key);
  const known = pairs.findLast(
    (pair) => rank !== -1 && order.indexOf(keyOf(pair)) <= rank && order.includes(keyOf(pair)),
  );
  const before = rank === -1 ? pairs.at(-1) : (known ?? pairs[0]);
  if (before === undefined) return text;
  const column = columnOf(text, startOf(pairs[0]?.key ?? before.key));
  const at = lineEnd(text, pairEnd(before, text));
  return spliced(text, at, at, `\n${" ".repeat(column)}${printKey(key)}:${printMember(value, column, key.length)}`);
}

function withEntryReplaced(doc: WrittenDocument, list: Node | null, index: number, value: Json): string {
  const item = itemsOf(list)[index];
  if (item === undefined || list === null || !isSeq(list)) return doc.text;
  if (isBracketed(list) || (typeof value !== "object" && !isMap(item) && !isSeq(item))) {
    const written = doc.isJson ? JSON.stringify(value) : inline(value);
    return spliced(doc.text, startOf(item), endOf(item, doc.text), written);
  }
  const dash = dashOf(list, index);
  const column = columnOf(doc.text, dash);
  return spliced(doc.text, dash, endOf(item, doc.text), printEntry(value, column).slice(column));
}

/** Removes the value at a path, with the comments directly above it. A list or map that becomes empty is removed too. */
export function without(text: string, path: TreePath): string {
  const doc = readDocument(text);
  const key = path.at(-1);
  if (doc === null || key === undefined) return text;
  const parent = nodeAt(doc, path.slice(0, -1));
  const members = isMap(parent) ? pairsOf(parent) : itemsOf(parent);
  const index = typeof key === "number" ? key : pairsOf(parent).findIndex((pair) => keyOf(pair) === key);
  const member = members[index];
  if (parent === null || member === undefined) return text;
  if (members.length === 1) return path.length === 1 ? text : without(text, path.slice(0, -1));
  const [from, to] = "key" in member ? pairSpan(member, text) : [startOf(member), endOf(member, text)];
  if (isBracketed(parent)) return withoutInBrackets(text, members, index, from, to);
  if (isSeq(parent)) return withoutLines(text, dashOf(parent, index), to);
  const next = members[index + 1];
  const isBehindDash = index === 0 && text.slice(lineStart(text, from), from).trim() !== "";
  // A member on the line of a dash cannot be removed as whole lines, so the next member moves up.
  if (isBehindDash && next !== undefined && "key" in next) return spliced(text, from, startOf(next.key), "");
  return withoutLines(text, from, to);
}

function pairSpan(pair: WrittenPair, text: string): readonly [number, number] {
  return [startOf(pair.key), pairEnd(pair, text)];
}

type Members = readonly (WrittenPair | Node)[];

function withoutInBrackets(text: string, members: Members, index: number, from: number, to: number): string {
  const before = members[index - 1];
  if (before !== undefined) {
    const end = "key" in before ? pairEnd(before, text) : endOf(before, text);
    return spliced(text, end, to, "");
  }
  const next = members[index + 1];
  if (next === undefined) return text;
  return spliced(text, from, "key" in next ? startOf(next.key) : startOf(next), "");
}

function withoutLines(text: string, from: number, to: number): string {
  const start = commentsStartAbove(text, from);
  const end = Math.min(text.length, lineEnd(text, to) + 1);
  // Of the empty lines before and after the removed lines, only one stays.
  const isApart = text.slice(0, start).endsWith("\n\n") && (end === text.length || text.startsWith("\n", end));
  const isFirst = text.slice(0, start).endsWith(":\n") && text.startsWith("\n", end);
  return spliced(text, isApart ? start - 1 : start, isFirst ? end + 1 : end, "");
}

/** Returns the start of the comment lines directly above an offset, with no empty line between. */
export function commentsStartAbove(text: string, offset: number): number {
  const column = columnOf(text, offset);
  let start = lineStart(text, offset);
  while (start > 0) {
    const above = lineStart(text, start - 1);
    const line = text.slice(above, start - 1);
    if (!/^\s*#/u.test(line) || line.length - line.trimStart().length !== column) break;
    start = above;
  }
  return start;
}

export function valueAt(value: Json | undefined, path: TreePath): Json | undefined {
  return path.reduce<Json | undefined>((at, segment) => {
    if (isJsonArray(at)) return at[Number(segment)];
    return isJsonObject(at) ? getOwn(at, String(segment)) : undefined;
  }, value);
}

function isSame(left: Json, right: Json): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
