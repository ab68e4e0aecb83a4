import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLSeq,
} from "yaml";
import type { Json, TreePath } from "../base/index.ts";

/** A text with the position of everything in it. Edits replace pieces of the text, so the rest stays as it was written. */
export interface WrittenDocument {
  readonly text: string;
  readonly root: Node | null;
  /** The text starts with a brace, so anything added has to be JSON too. */
  readonly isJson: boolean;
  readonly value: Json;
}

/** Returns null when the text cannot be parsed, or has aliases, which no format here allows: `*word*` without quotes is one. */
export function readDocument(text: string): WrittenDocument | null {
  const doc = parseDocument(text, { keepSourceTokens: true, prettyErrors: false, version: "1.2" });
  if (doc.errors.length > 0 || hasAlias(doc)) return null;
  const root = doc.contents;
  return { text, root, isJson: /^\s*[{[]/.test(text), value: doc.toJS({ maxAliasCount: 0 }) as Json };
}

function hasAlias(doc: Document): boolean {
  let isFound = false;
  visit(doc, {
    Alias: () => {
      isFound = true;
      return visit.BREAK;
    },
  });
  return isFound;
}

export function nodeAt({ root }: WrittenDocument, path: TreePath): Node | null {
  let node: unknown = root;
  for (const segment of path) {
    if (isMap(node)) node = pairOf(node, segment)?.value ?? null;
    else if (isSeq(node) && typeof segment === "number") node = node.items[segment] ?? null;
    else return null;
  }
  return isScalar(node) || isCollection(node) ? node : null;
}

export type WrittenPair = Pair<Node, Node | null>;

export function pairsOf(node: Node | null): readonly WrittenPair[] {
  return isMap(node) ? (node.items as unknown as WrittenPair[]) : [];
}

export function itemsOf(node: Node | null): readonly Node[] {
  return isSeq(node) ? (node.items as Node[]) : [];
}

export function pairOf(node: Node | null, key: string | number): WrittenPair | undefined {
  return pairsOf(node).find((pair) => keyOf(pair) === String(key));
}

export function keyOf({ key }: WrittenPair): string {
  return isScalar(key) ? String(key.value) : "";
}

/** Returns true for a list or map written in brackets or braces. */
export function isBracketed(node: Node | null): boolean {
  return isCollection(node) && node.srcToken?.type === "flow-collection";
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Returns the end of a node's content, before comments and empty lines that follow it. */
export function endOf(node: Node, text: string): number {
  if (isCollection(node) && !isBracketed(node)) {
    const last = isMap(node) ? pairsOf(node).at(-1) : itemsOf(node).at(-1);
    if (last === undefined) return node.range?.[1] ?? 0;
    return "key" in last ? pairEnd(last, text) : endOf(last, text);
  }
  const end = node.range?.[1] ?? 0;
  const isBlockText = isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
  return isBlockText ? startOf(node) + text.slice(startOf(node), end).trimEnd().length : end;
}

/** Returns the end of the value, or of the colon when the key has no value. */
export function pairEnd(pair: WrittenPair, text: string): number {
  if (pair.value !== null && (pair.value.range?.[1] ?? 0) > startOf(pair.value)) return endOf(pair.value, text);
  return colonOf(pair, text) + 1;
}

/** Returns the position of the colon after the key. */
export function colonOf({ key }: WrittenPair, text: string): number {
  return text.indexOf(":", key.range?.[1] ?? 0);
}

/** Returns the position of an entry's dash in a list written with dashes. */
export function dashOf(list: YAMLSeq, index: number): number {
  const token = list.srcToken;
  if (token?.type !== "block-seq") return 0;
  return token.items[index]?.start.find(({ type }) => type === "seq-item-ind")?.offset ?? 0;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the end of the line, before the line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** Replaces a piece of a text and returns the new text. */
export function spliced(text: string, from: number, to: number, insert: string): string {
  return text.slice(0, from) + insert + text.slice(to);
}
