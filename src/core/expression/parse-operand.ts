import { fail, required, succeed, type Outcome } from "../base/index.ts";
import { type Cursor, endOf, expectedOperand, isMark, isTooDeep, notClosed, peek, peekAt, tooDeep } from "./cursor.ts";
import type { Expression, ObjectMember, Path, SyntaxProblem } from "./expression.ts";
import { parseCall } from "./parse-call.ts";
import type { Token } from "./token.ts";

type Parsed = Outcome<Expression, SyntaxProblem>;
/** Parses a whole expression between brackets. */
export type ParseInner = (cursor: Cursor, depth: number) => Parsed;

/** Parses a value with the fields, indices and slices after it. */
export function parsePostfix(cursor: Cursor, depth: number, parseInner: ParseInner): Parsed {
  // An expression in brackets is complete, so its path is not extended.
  const isName = peek(cursor).kind === "path";
  const primary = parsePrimary(cursor, depth, parseInner);
  if (!primary.ok) return primary;
  let node = isName ? extendPath(cursor, primary.value) : primary.value;
  if (isName && node.kind === "path") cursor.paths.push(node.path);
  for (;;) {
    const token = peek(cursor);
    const isPathLike = isName && (node.kind === "path" || node.kind === "local");
    const isJoined = endOf(required(cursor.tokens[cursor.at - 1], "a value was read")) === token.position;
    // `step .field` must not mean the same as `step.field`.
    if (isPathLike && !isJoined) return succeed(node);
    if (token.kind === "field") {
      cursor.at += 1;
      node = { kind: "field", target: node, name: token.name, position: token.position };
    } else if (isMark(token, "[")) {
      if (isTooDeep(depth)) return fail(tooDeep(token.position));
      cursor.at += 1;
      const indexed = parseBrackets(cursor, token, node, depth + 1, parseInner);
      if (!indexed.ok) return indexed;
      node = indexed.value;
    } else return succeed(node);
  }
}

/** Adds `['b c']`, `[0]` and `.name` after a path to that path, so that the whole path can be checked with the file. */
function extendPath(cursor: Cursor, start: Expression): Expression {
  let node = start;
  for (;;) {
    if (node.kind !== "path" && node.kind !== "local") return node;
    const last = required(cursor.tokens[cursor.at - 1], "a path was read");
    const found = segmentAt(cursor);
    if (found === undefined || peek(cursor).position !== endOf(last)) return node;
    cursor.at += found.tokens;
    const end = endOf(required(cursor.tokens[cursor.at - 1], "a segment was read"));
    const text = cursor.text.slice(node.position, end);
    node =
      node.kind === "path"
        ? { ...node, path: { ...node.path, text, segments: [...node.path.segments, found.segment] } }
        : { ...node, text, segments: [...node.segments, found.segment] };
  }
}

function segmentAt(cursor: Cursor): { readonly segment: string | number; readonly tokens: number } | undefined {
  const token = peek(cursor);
  if (token.kind === "field") return { segment: token.name, tokens: 1 };
  const inner = peekAt(cursor, 1);
  if (!isMark(token, "[") || inner?.kind !== "literal" || !isMark(peekAt(cursor, 2), "]")) return undefined;
  const { value } = inner;
  const isSegment =
    typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0);
  return isSegment ? { segment: value, tokens: 3 } : undefined;
}

/** Parses `[index]`, `[from:to]`, `[from:]`, `[:to]` or `[:]`, after the opening bracket. */
function parseBrackets(cursor: Cursor, open: Token, target: Expression, depth: number, parseInner: ParseInner): Parsed {
  const { position } = open;
  const first = parseBound(cursor, depth, parseInner);
  if (!first.ok) return first;
  const isSlice = isMark(peek(cursor), ":");
  if (isSlice) cursor.at += 1;
  const second = isSlice ? parseBound(cursor, depth, parseInner) : succeed(null);
  if (!second.ok) return second;
  if (!isMark(peek(cursor), "]")) {
    if (isMark(peek(cursor), ":")) return fail(badIndex(peek(cursor).position, "a slice has one colon, as in [1:3]"));
    return fail(notClosed(cursor, open, "]"));
  }
  cursor.at += 1;
  if (isSlice) return succeed({ kind: "slice", target, from: first.value, to: second.value, position });
  if (first.value === null) return fail(badIndex(position, "put a number or a key between the brackets"));
  const { value } = first;
  const isFraction = value.kind === "literal" && typeof value.value === "number" && !Number.isSafeInteger(value.value);
  if (isFraction) return fail(badIndex(position, "count elements from [0], or from the end with [-1]"));
  return succeed({ kind: "index", target, index: value, position });
}

function parseBound(cursor: Cursor, depth: number, parseInner: ParseInner): Outcome<Expression | null, SyntaxProblem> {
  const token = peek(cursor);
  return isMark(token, ":") || isMark(token, "]") ? succeed(null) : parseInner(cursor, depth);
}

function badIndex(position: number, hint: string): SyntaxProblem {
  return { message: "an index is a whole number or a key, such as [0] or ['name']", position, hint };
}

function parsePrimary(cursor: Cursor, depth: number, parseInner: ParseInner): Parsed {
  const token = peek(cursor);
  const { position } = token;
  if (token.kind === "literal") {
    cursor.at += 1;
    return succeed({ kind: "literal", value: token.value, position });
  }
  if (token.kind === "path") {
    cursor.at += 1;
    if (isMark(peek(cursor), "(")) return parseCall(cursor, token.path, depth, parseInner);
    return succeed(nameNode(cursor, token.path));
  }
  if (token.kind === "field") return fail(expectedOperand(token));
  if (token.mark !== "(" && token.mark !== "[" && token.mark !== "{") return fail(expectedOperand(token));
  if (isTooDeep(depth)) return fail(tooDeep(position));
  cursor.at += 1;
  if (token.mark === "(") return parseGroup(cursor, token, depth + 1, parseInner);
  return token.mark === "["
    ? parseList(cursor, token, depth + 1, parseInner)
    : parseObject(cursor, token, depth + 1, parseInner);
}

/** Returns the lambda parameter of that name, the innermost first, else a path for the plan to resolve. */
function nameNode(cursor: Cursor, path: Path): Expression {
  const { text, position } = path;
  const [head, ...segments] = path.segments;
  const slot = typeof head === "string" ? cursor.locals.lastIndexOf(head) : -1;
  return slot === -1 ? { kind: "path", path, position } : { kind: "local", text, slot, segments, position };
}

function parseGroup(cursor: Cursor, open: Token, depth: number, parseInner: ParseInner): Parsed {
  const inner = parseInner(cursor, depth);
  if (!inner.ok) return inner;
  if (!isMark(peek(cursor), ")")) return fail(notClosed(cursor, open, ")"));
  cursor.at += 1;
  return inner;
}

function parseList(cursor: Cursor, open: Token, depth: number, parseInner: ParseInner): Parsed {
  const items: Expression[] = [];
  let hasMore = !isMark(peek(cursor), "]");
  while (hasMore) {
    const item = parseInner(cursor, depth);
    if (!item.ok) return item;
    items.push(item.value);
    hasMore = isMark(peek(cursor), ",");
    if (hasMore) cursor.at += 1;
  }
  if (!isMark(peek(cursor), "]")) return fail(notClosed(cursor, open, "]"));
  cursor.at += 1;
  return succeed({ kind: "list", items, position: open.position });
}

function parseObject(cursor: Cursor, open: Token, depth: number, parseInner: ParseInner): Parsed {
  const members: ObjectMember[] = [];
  const keys = new Set<string>();
  let hasMore = !isMark(peek(cursor), "}");
  while (hasMore) {
    const token = peek(cursor);
    const key = keyOf(token);
    if (key === undefined) return fail(expectedKey(token));
    if (keys.has(key)) return fail({ message: `the key "${key}" stands twice`, position: token.position });
    keys.add(key);
    cursor.at += 1;
    if (!isMark(peek(cursor), ":")) return fail(expectedColon(key, peek(cursor)));
    cursor.at += 1;
    const value = parseInner(cursor, depth);
    if (!value.ok) return value;
    members.push({ key, value: value.value });
    hasMore = isMark(peek(cursor), ",");
    if (hasMore) cursor.at += 1;
  }
  if (!isMark(peek(cursor), "}")) return fail(notClosed(cursor, open, "}"));
  cursor.at += 1;
  return succeed({ kind: "object", members, position: open.position });
}

const WORD = /^[\p{L}_]/u;

/** Reads a key: a text or a plain word, including words with a meaning elsewhere. */
function keyOf(token: Token): string | undefined {
  if (token.kind === "literal" && typeof token.value === "string") return token.value;
  if (token.kind === "path") return token.path.segments.length === 1 ? plainWord(token.text) : undefined;
  return token.kind === "field" ? undefined : plainWord(token.text);
}

function plainWord(text: string): string | undefined {
  return WORD.test(text) ? text : undefined;
}

function expectedKey(token: Token): SyntaxProblem {
  const found = token.text === "" ? "the expression ends" : `"${token.text}" stands`;
  return {
    message: `${found} where a key is expected`,
    position: token.position,
    hint: "an object is written {name: value, 'other name': value}",
  };
}

function expectedColon(key: string, token: Token): SyntaxProblem {
  const found = token.text === "" ? "the expression ends" : `"${token.text}" stands`;
  const isShort = isMark(token, ",") || isMark(token, "}");
  return {
    message: `${found} where the ":" behind a key is expected`,
    position: token.position,
    hint: isShort ? `write {${key}: ${key}}` : "a key of several words is written in quotes",
  };
}
