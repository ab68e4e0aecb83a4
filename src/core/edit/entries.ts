import { isSeq, type Node } from "yaml";
import type { Json, TreePath } from "../base/index.ts";
import { commentsStartAbove, withValue, without } from "./change.ts";
import {
  columnOf,
  dashOf,
  endOf,
  isBracketed,
  itemsOf,
  lineEnd,
  lineStart,
  nodeAt,
  readDocument,
  spliced,
  startOf,
  type WrittenDocument,
} from "./document.ts";
import { indented, inline, printEntry } from "./print-value.ts";

/** Returns the text with one more entry in a list. The list is created when it does not exist. */
export function withEntry(text: string, list: TreePath, index: number, value: Json): string {
  return withEntryText(text, list, index, printEntry(value, 0), value);
}

/**
 * Like `withEntry`, for an entry copied as text with its comments, its dash in the first column. A list in brackets
 * receives the value instead.
 */
export function withEntryText(text: string, list: TreePath, index: number, entry: string, value: Json): string {
  const doc = readDocument(text);
  const found = doc === null ? null : nodeAt(doc, list);
  if (doc === null) return text;
  const items = itemsOf(found);
  if (!isSeq(found) || (items.length === 0 && !doc.isJson)) return withNewList(doc, list, entry, value);
  if (isBracketed(found)) return inBrackets(doc, found, index, value);
  const at = Math.min(index, items.length);
  const column = columnOf(doc.text, dashOf(found, 0));
  const lines = indented(entry, column);
  if (at === items.length) {
    const last = items.at(-1);
    const end = lineEnd(text, last === undefined ? 0 : endOf(last, text));
    return spliced(text, end, end, `\n${hasBlankLinesBetween(text, found) ? "\n" : ""}${lines}`);
  }
  const start = commentsStartAbove(text, dashOf(found, at));
  return spliced(text, start, start, `${lines}\n${hasBlankLinesBetween(text, found) ? "\n" : ""}`);
}

/** Writes the key with a placeholder entry on lines of its own, then replaces that entry, so that the inserted lines keep their
 * comments. */
function withNewList({ text }: WrittenDocument, list: TreePath, entry: string, first: Json): string {
  const marked = withValue(text, list, [{ id: "mark", first: [[]] }]);
  const doc = readDocument(marked);
  const found = doc === null ? null : nodeAt(doc, list);
  const [item] = itemsOf(found);
  if (doc === null || !isSeq(found) || item === undefined) return text;
  if (isBracketed(found)) return withValue(text, list, [first]);
  const dash = dashOf(found, 0);
  const column = columnOf(marked, dash);
  return spliced(marked, lineStart(marked, dash), endOf(item, marked), indented(entry, column));
}

function inBrackets({ text, isJson }: WrittenDocument, list: Node, index: number, value: Json): string {
  const items = itemsOf(list);
  const written = isJson ? JSON.stringify(value) : inline(value);
  const next = items[index];
  const first = items[0];
  if (first === undefined) return spliced(text, startOf(list) + 1, startOf(list) + 1, written);
  const isOwnLine = text.slice(lineStart(text, startOf(first)), startOf(first)).trim() === "";
  const gap = isOwnLine ? `\n${" ".repeat(columnOf(text, startOf(first)))}` : " ";
  if (next !== undefined) return spliced(text, startOf(next), startOf(next), `${written},${gap}`);
  const end = endOf(items.at(-1) ?? first, text);
  return spliced(text, end, end, `,${gap}${written}`);
}

/** Returns true when an empty line separates the entries. */
function hasBlankLinesBetween(text: string, list: Node): boolean {
  if (!isSeq(list)) return false;
  const second = list.items.length > 1 ? commentsStartAbove(text, dashOf(list, 1)) : 0;
  return second > 0 && text.slice(0, second).endsWith("\n\n");
}

/** Returns an entry as it is written, with the comments directly above it and its dash in the first column. */
export function entryText(text: string, list: TreePath, index: number): string | null {
  const doc = readDocument(text);
  const found = doc === null ? null : nodeAt(doc, list);
  const item = itemsOf(found)[index];
  if (doc === null || item === undefined || !isSeq(found)) return null;
  if (isBracketed(found)) return printEntry(item.toJSON() as Json, 0);
  const dash = dashOf(found, index);
  const lines = text.slice(commentsStartAbove(text, dash), lineEnd(text, endOf(item, text)));
  return outdented(lines, columnOf(text, dash));
}

function outdented(text: string, column: number): string {
  const space = " ".repeat(column);
  return text
    .split("\n")
    .map((line) => (line.startsWith(space) ? line.slice(column) : line.trimStart()))
    .join("\n");
}

/** Returns the text without an entry. A list that becomes empty stays, as `[]`. */
export function withoutEntry(text: string, list: TreePath, index: number): string {
  const doc = readDocument(text);
  const found = doc === null ? null : nodeAt(doc, list);
  if (itemsOf(found).length > 1) return without(text, [...list, index]);
  return withValue(text, list, []);
}
