/** Place of the cursor in a YAML text. It is found by lines and columns without parsing the whole text, which may be incomplete. */
export interface YamlPlace {
  /** Path of the map, list or scalar that contains the cursor. */
  readonly path: readonly (string | number)[];
  /** `member`: a key or an element of a list is being written. `value`: the text after a key is being written. */
  readonly kind: "member" | "value";
  /** The part of the word before the cursor without quotes, and its offset. */
  readonly prefix: string;
  readonly from: number;
  /** Other keys of the same map. */
  readonly keys: ReadonlySet<string>;
  /** True inside brackets, where an inserted word must stay on the line. */
  readonly isInline: boolean;
}

interface Level {
  readonly kind: "map" | "list";
  readonly column: number;
  readonly keys: Set<string>;
  key: string | null;
  index: number;
}

const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{}[\],#&*!|>%@`][^:#]*?)\s*:(?:\s+|$)/;
const BLOCK_TEXT = /^[|>][-+0-9]*\s*(?:#.*)?$/;

/** Returns the place at an offset. Null inside a comment or a block of text, where there are no completions. */
export function placeAt(text: string, offset: number): YamlPlace | null {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const outline = new Outline();
  for (const line of text.slice(0, lineStart).split("\n").slice(0, -1)) outline.take(line);
  const head = text.slice(lineStart, offset);
  if (outline.isInText(head) || /(?:^|\s)#/.test(head)) return null;
  return outline.placeOf(head, lineStart, keysBelow(text, offset, head));
}

class Outline {
  readonly #levels: Level[] = [];
  /** Column of the key whose block of text is being read. Lines with more indentation belong to the text. */
  #textColumn: number | null = null;

  isInText(line: string): boolean {
    return this.#textColumn !== null && (line.trim() === "" || indentOf(line) > this.#textColumn);
  }

  take(line: string): void {
    if (line.trim() === "" || /^\s*#/.test(line)) return;
    if (this.isInText(line)) return;
    this.#textColumn = null;
    const { rest, column } = this.#enter(line);
    const [found, key] = KEY.exec(rest) ?? [];
    if (found === undefined || key === undefined) return;
    this.#setKey(column, unquoted(key));
    if (BLOCK_TEXT.test(rest.slice(found.length))) this.#textColumn = column;
  }

  placeOf(head: string, lineStart: number, below: ReadonlySet<string>): YamlPlace | null {
    const { rest, column } = this.#enter(head);
    const [found, key] = KEY.exec(rest) ?? [];
    const start = lineStart + head.length - rest.length;
    const own = this.#mapAt(column);
    if (found === undefined || key === undefined) {
      if (/^[{[]/.test(rest)) return placeInBrackets(rest, start, this.#path(column, false));
      const keys = new Set([...(own?.keys ?? []), ...below]);
      return { path: this.#path(column, false), kind: "member", ...word(rest, start), keys, isInline: false };
    }
    this.#setKey(column, unquoted(key));
    const value = rest.slice(found.length);
    const valueStart = start + found.length;
    const path = this.#path(column, true);
    if (/^[{[]/.test(value)) return placeInBrackets(value, valueStart, path);
    return { path, kind: "value", ...word(value, valueStart), keys: new Set(), isInline: false };
  }

  /** Closes levels that ended before this line and opens lists for its dashes. Returns the rest of the line, which is a member. */
  #enter(line: string): { readonly rest: string; readonly column: number } {
    let column = indentOf(line);
    let rest = line.slice(column);
    for (let dash = /^-(?:\s+|$)/.exec(rest); dash !== null; dash = /^-(?:\s+|$)/.exec(rest)) {
      this.#leave(column, true);
      const top = this.#levels.at(-1);
      if (top?.kind === "list" && top.column === column) top.index += 1;
      else this.#levels.push({ kind: "list", column, keys: new Set(), key: null, index: 0 });
      column += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    this.#leave(column, false);
    return { rest, column };
  }

  /** Closes levels that ended. A list may be in the same column as its key. */
  #leave(column: number, isDash: boolean): void {
    for (let top = this.#levels.at(-1); top !== undefined; top = this.#levels.at(-1)) {
      const isOver = top.column > column || (top.column === column && top.kind === "list" && !isDash);
      if (!isOver) return;
      this.#levels.pop();
    }
  }

  #mapAt(column: number): Level | undefined {
    const top = this.#levels.at(-1);
    return top?.kind === "map" && top.column === column ? top : undefined;
  }

  #setKey(column: number, key: string): void {
    let level = this.#mapAt(column);
    if (level === undefined) {
      level = { kind: "map", column, keys: new Set(), key: null, index: 0 };
      this.#levels.push(level);
    }
    level.key = key;
    level.keys.add(key);
  }

  /** Returns the path to the map at a column, or to the value of its present key. */
  #path(column: number, isAtKey: boolean): (string | number)[] {
    return this.#levels.flatMap((level): (string | number)[] => {
      if (level.kind === "list") return [level.index];
      const isOwn = level.column === column && !isAtKey;
      return level.key === null || isOwn ? [] : [level.key];
    });
  }
}

/** Returns the keys further down in the same map, so that they are not offered again. */
function keysBelow(text: string, offset: number, head: string): ReadonlySet<string> {
  const column = /^(?:\s|-\s)*/.exec(head)?.[0].length ?? 0;
  const keys = new Set<string>();
  const rest = text.slice(text.indexOf("\n", offset) + 1 || text.length);
  for (const line of rest.split("\n")) {
    if (line.trim() === "") continue;
    const indent = indentOf(line);
    if (indent < column) break;
    const [, key] = indent === column ? (KEY.exec(line.slice(indent)) ?? []) : [];
    if (key !== undefined) keys.add(unquoted(key));
  }
  return keys;
}

interface BracketLevel {
  readonly kind: "map" | "list";
  readonly keys: Set<string>;
  key: string | null;
  index: number;
  wordStart: number;
}

/** Returns the place inside brackets, based on the text before the cursor. */
function placeInBrackets(text: string, start: number, base: readonly (string | number)[]): YamlPlace | null {
  const levels: BracketLevel[] = [];
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const top = levels.at(-1);
    if (quote !== "") {
      if (character === "\\" && quote === '"') at += 1;
      else if (character === quote) quote = "";
    } else if ((character === '"' || character === "'") && text.slice(top?.wordStart ?? at, at).trim() === "") {
      quote = character;
    } else if (character === "{" || character === "[") {
      levels.push({
        kind: character === "{" ? "map" : "list",
        keys: new Set(),
        key: null,
        index: 0,
        wordStart: at + 1,
      });
    } else if (character === "}" || character === "]") {
      levels.pop();
      if (levels.length === 0) return null;
    } else if (top !== undefined) stepInBrackets(top, text, at, character);
  }
  const inner = levels.at(-1);
  if (inner === undefined) return null;
  const steps = levels.flatMap((level): (string | number)[] => {
    if (level.kind === "list") return [level.index];
    return level.key === null ? [] : [level.key];
  });
  const kind = inner.kind === "map" && inner.key !== null ? "value" : "member";
  const shown = text.slice(inner.wordStart);
  const lead = shown.length - shown.trimStart().length;
  return {
    path: [...base, ...steps],
    kind,
    ...word(shown.trimStart(), start + inner.wordStart + lead),
    keys: inner.keys,
    isInline: true,
  };
}

function stepInBrackets(level: BracketLevel, text: string, at: number, character: string): void {
  if (character === ",") {
    level.key = null;
    level.index += 1;
    level.wordStart = at + 1;
  } else if (character === ":" && level.kind === "map" && level.key === null && /[\s]|^$/.test(text.charAt(at + 1))) {
    level.key = unquoted(text.slice(level.wordStart, at).trim());
    level.keys.add(level.key);
    level.wordStart = at + 1;
  }
}

function word(written: string, start: number): { readonly prefix: string; readonly from: number } {
  const isQuoted = /^["']/.test(written);
  return { prefix: isQuoted ? written.slice(1) : written, from: isQuoted ? start + 1 : start };
}

function unquoted(key: string): string {
  return /^(?:"[^]*"|'[^]*')$/.test(key) ? key.slice(1, -1) : key;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
