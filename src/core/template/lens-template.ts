import { fail, jsonToText, succeed, type Json, type Outcome } from "../base/index.ts";
import type { SyntaxProblem } from "../expression/index.ts";
import { normaliseLabel } from "./label.ts";
import type { LensTemplate, LensToken } from "./template.ts";

/**
 * Syntax of a token: a label between `[[` and `]]` or `{{` and `}}`, on one line, made of letters, digits, spaces and a little
 * punctuation, with at least one letter or underscore. A type is one word. Anything else between such brackets is text, so that
 * `[[1, 2], [3, 4]]` and `[[]]` in an example stay unchanged. A token that is opened and never closed is a problem, because an
 * incomplete token is of no use to a model.
 */
const OPENING = /\[\[|\{\{/g;
const TOKEN = /(?:\[\[([^[\]{}\n]+)\]\]|\{\{([^[\]{}\n]+)\}\})/y;
const LABEL = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ \t\-./&'’?()#%+@*]*$/u;
const WORD = /^[A-Za-z0-9_-]+$/;
const HAS_LETTER = /[\p{L}_]/u;
const STARTS_LABEL = /\s*(?:[\p{L}_:]|$)/uy;

/** `[[:id]]` refers to a stored entry; such references are dropped. */
const DROPPED = "dropped";

export function parseLensTemplate(text: string): Outcome<LensTemplate, SyntaxProblem> {
  const parts: (string | LensToken)[] = [];
  let literal = "";
  let from = 0;
  for (let open = nextOpening(text, from); open !== -1; open = nextOpening(text, from)) {
    literal += text.slice(from, open);
    const written = tokenAt(text, open);
    const token = written === undefined ? undefined : readToken(written);
    if (written === undefined || token === undefined) {
      if (isUnclosed(text, open)) return fail(unclosed(text, open));
      literal += text.charAt(open);
      from = open + 1;
      continue;
    }
    from = open + written.length;
    if (token === DROPPED) continue;
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(token);
  }
  literal += text.slice(from);
  if (literal !== "") parts.push(literal);
  return succeed({ text, parts });
}

/**
 * Renders in one pass: a value is never expanded again. Tokens without a value render as '' and, unless optional, are listed as
 * missing by their label as first written. Null counts as a value and renders as ''.
 */
export function renderLensTemplate(
  template: LensTemplate,
  valueOf: (token: LensToken) => Json | undefined,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing = new Map<string, string>();
  let text = "";
  for (const part of template.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const value = valueOf(part);
    text += jsonToText(value);
    if (value === undefined && !part.isOptional && !missing.has(part.key)) missing.set(part.key, part.label);
  }
  return { text, missing: [...missing.values()] };
}

function nextOpening(text: string, from: number): number {
  OPENING.lastIndex = from;
  return OPENING.exec(text)?.index ?? -1;
}

function tokenAt(text: string, open: number): string | undefined {
  TOKEN.lastIndex = open;
  return TOKEN.exec(text)?.[0];
}

/** Parses `label`, `label!`, `label:type`, `label!:type` or `label:type!`. `:id` is dropped; anything else is not a token. */
function readToken(written: string): LensToken | typeof DROPPED | undefined {
  const inside = written.slice(2, -2);
  const colon = inside.indexOf(":");
  const head = (colon === -1 ? inside : inside.slice(0, colon)).trim();
  const tail = (colon === -1 ? "" : inside.slice(colon + 1)).trim();
  if (head === "") return written.startsWith("[[") && WORD.test(tail) ? DROPPED : undefined;
  const isOptional = head.endsWith("!") || tail.endsWith("!");
  const label = withoutMark(head);
  const type = colon === -1 ? null : withoutMark(tail);
  if (!LABEL.test(label) || !HAS_LETTER.test(label)) return undefined;
  if (type !== null && !WORD.test(type)) return undefined;
  return { label, key: normaliseLabel(label), isOptional, type };
}

function withoutMark(text: string): string {
  return text.endsWith("!") ? text.slice(0, -1).trim() : text;
}

/** Returns whether a token is opened here and the next brackets do not close it. */
function isUnclosed(text: string, open: number): boolean {
  const isSquare = text.startsWith("[[", open);
  const next = isSquare ? /\[\[|\]\]/g : /\{\{|\}\}/g;
  next.lastIndex = open + 2;
  const found = next.exec(text)?.[0];
  if (found === "]]" || found === "}}") return false;
  STARTS_LABEL.lastIndex = open + 2;
  return STARTS_LABEL.test(text) || (!isSquare && found === undefined);
}

function unclosed(text: string, open: number): SyntaxProblem {
  const brackets = text.slice(open, open + 2);
  const closing = brackets === "[[" ? "]]" : "}}";
  return {
    message: `the token that starts with ${brackets} is never closed`,
    position: open,
    hint: `close it with ${closing}, as in ${brackets}label${closing}`,
  };
}
