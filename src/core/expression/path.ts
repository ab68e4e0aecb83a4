import { fail, LIMITS, succeed, type Outcome } from "../base/index.ts";
import type { Path, SyntaxProblem } from "./expression.ts";
import { characterAt, readAt, readName, skipSpace, type NameStyle } from "./name.ts";

/** A path found at a position of a longer text, and the position where the text continues. */
export interface FoundPath {
  readonly path: Path;
  readonly end: number;
}

type Scan = Outcome<FoundPath, SyntaxProblem>;
type Segment = string | number;

const INDEX = /\[\s*\d+\s*\]/y;

/** Parses a text that is a single path: `step.outputs.a[0].b`, `$step.approved`, `${name}`. */
export function parsePath(text: string): Outcome<Path, SyntaxProblem> {
  if (text.length > LIMITS.expressionLengthMax) {
    return fail({ message: `the path is longer than ${LIMITS.expressionLengthMax} characters`, position: 0 });
  }
  const start = skipSpace(text, 0);
  if (start === text.length) {
    return fail({ message: "the path is empty", position: 0, hint: "write a path such as step.outputs.field" });
  }
  const found = scanPath(text, start, "hyphenated");
  if (!found.ok) return found;
  const end = skipSpace(text, found.value.end);
  if (end === text.length) return succeed(found.value.path);
  return fail({
    message: `the path cannot continue with "${characterAt(text, end)}"`,
    position: end,
    hint: "a path is names joined by dots, with indices such as [0]",
  });
}

/**
 * Reads the path that starts at this position: `a.b[0]`, `$a.b`, `${a.b}`, `${a}.b`. In an expression, where names are
 * plain, it ends before an index that has to be calculated.
 */
export function scanPath(text: string, start: number, style: NameStyle): Scan {
  if (text.startsWith("${", start)) {
    const braced = scanBracedPath(text, start);
    if (!braced.ok) return braced;
    const segments = [...braced.value.path.segments];
    return finish(text, start, segments, scanRest(text, braced.value.end, segments, style));
  }
  return scanOpenPath(text, text.startsWith("$", start) ? start + 1 : start, start, style);
}

/** Reads `${a.b}` at this position and nothing after it: in a text, the characters after the brace are plain text. */
export function scanBracedPath(text: string, start: number): Scan {
  const from = skipSpace(text, start + 2);
  if (text.startsWith("}", from)) {
    return fail({ message: "the reference ${} is empty", position: start, hint: "put a path between the braces" });
  }
  if (from === text.length) return fail(unclosed(start));
  const inner = scanOpenPath(text, from, from, "hyphenated");
  if (!inner.ok) return inner;
  const close = skipSpace(text, inner.value.end);
  if (close === text.length) return fail(unclosed(start));
  if (!text.startsWith("}", close)) {
    return fail({
      message: `a reference cannot contain "${characterAt(text, close)}"`,
      position: close,
      hint: "between ${ and } stands a path such as step.outputs.field, or an expression",
    });
  }
  const end = close + 1;
  return succeed({ path: { ...inner.value.path, text: text.slice(start, end), position: start }, end });
}

/**
 * Reads `$step.field` at this position of a text, else returns undefined. A lone `$`, a price, `$name` without a dot and
 * the
 * full stop after a reference are plain text.
 */
export function scanReference(text: string, start: number): FoundPath | undefined {
  const head = readName(text, start + 1, "plain");
  if (head === undefined) return undefined;
  const segments: Segment[] = [head];
  const dot = start + 1 + head.length;
  const second = text.startsWith(".", dot) ? readName(text, dot + 1, "plain") : undefined;
  if (second === undefined) return undefined;
  segments.push(second);
  let end = dot + 1 + second.length;
  for (;;) {
    const next = readSegment(text, end, "plain");
    if (next === undefined) break;
    segments.push(next.segment);
    end = next.end;
  }
  return { path: { text: text.slice(start, end), segments, position: start }, end };
}

function scanOpenPath(text: string, from: number, start: number, style: NameStyle): Scan {
  const head = readName(text, from, style);
  if (head === undefined) return fail(missingName(text, from));
  const segments: Segment[] = [head];
  return finish(text, start, segments, scanRest(text, from + head.length, segments, style));
}

function finish(text: string, start: number, segments: readonly Segment[], end: Outcome<number, SyntaxProblem>): Scan {
  if (!end.ok) return end;
  return succeed({ path: { text: text.slice(start, end.value), segments, position: start }, end: end.value });
}

/** Reads all following `.name` and `[n]` segments and returns the end of the path. */
function scanRest(text: string, from: number, segments: Segment[], style: NameStyle): Outcome<number, SyntaxProblem> {
  let at = from;
  while (text.startsWith(".", at) || text.startsWith("[", at)) {
    const next = readSegment(text, at, style);
    if (next === undefined) {
      if (text.startsWith(".", at)) return fail(missingName(text, at + 1));
      return style === "plain" ? succeed(at) : fail(badIndex(text, at));
    }
    segments.push(next.segment);
    at = next.end;
  }
  return succeed(at);
}

function readSegment(text: string, at: number, style: NameStyle): { segment: Segment; end: number } | undefined {
  if (text.startsWith(".", at)) {
    const name = readName(text, at + 1, style);
    return name === undefined ? undefined : { segment: name, end: at + 1 + name.length };
  }
  const written = readAt(INDEX, text, at);
  if (written === undefined) return undefined;
  const index = Number(written.slice(1, -1));
  return Number.isSafeInteger(index) ? { segment: index, end: at + written.length } : undefined;
}

function unclosed(position: number): SyntaxProblem {
  return {
    message: "the reference that starts with ${ is never closed",
    position,
    hint: "close it with }",
  };
}

function missingName(text: string, position: number): SyntaxProblem {
  const found = characterAt(text, position);
  const message = found === "" ? "the path ends where a name is expected" : `a name is expected before "${found}"`;
  const isDigit = found >= "0" && found <= "9";
  return {
    message,
    position,
    hint: isDigit ? "write [0] for an element of a list" : "names start with a letter or _",
  };
}

function badIndex(text: string, position: number): SyntaxProblem {
  const inside = characterAt(text, skipSpace(text, position + 1));
  const isQuoted = inside !== "" && "'\"‘’“”`".includes(inside);
  return {
    message: "an index is a whole number from 0 on, such as [0]",
    position,
    hint: isQuoted ? "write .name for a key" : "for the size of a list write .length",
  };
}
