import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository as the law reads it: paths with `/`, texts, and code without comments and the insides of strings. */
export const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const NOT_OURS = new Set([
  "node_modules",
  "dist",
  ".git",
  ".sluice",
  "coverage",
  "test-results",
  "screenshots",
  "peers",
]);
const NOT_WRITTEN = new Set(["package-lock.json", "LICENSE"]);

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** As long as `text`: comments and the contents of strings and patterns are blank, quotes and line ends stay. */
  readonly code: string;
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: blank(text) };
}

/** Every file people write, by path in code-unit order. */
export function readRepository(root = REPOSITORY): { readonly path: string; readonly text: string }[] {
  const found: { path: string; text: string }[] = [];
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (!NOT_OURS.has(entry.name) && !entry.name.endsWith(".tmp")) walk(path);
      } else if (entry.isFile() && !NOT_WRITTEN.has(entry.name) && !entry.name.endsWith(".png")) {
        found.push({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") });
      }
    }
  };
  walk(root);
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Path in the repository when the import is relative, null for a package. */
  readonly target: string | null;
}

const IMPORT = /(?<![\w$.])(?:import|export)\b(?!\s*\.)(?:[^;"'`()]*?\bfrom)?\s*\(?\s*(["'])/g;

/** A script that a page starts beside itself is named by its address. */
const SCRIPT_URL = /(?:new\s+\w*Worker|\bfork)\s*\(\s*new\s+URL\(\s*(["'])/g;

export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  for (const match of file.code.matchAll(IMPORT)) {
    // `export const x = "y"` has no `from`; only a module name follows `import` or `from` directly.
    const head = match[0].slice(0, -1).trimEnd();
    if (!/(?:from|import|import\s*\()$/.test(head)) continue;
    const start = match.index + match[0].length;
    const specifier = file.text.slice(start, file.code.indexOf(match[1] ?? "", start));
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(file.path), specifier) : null;
    found.push({ specifier, target });
  }
  for (const match of file.code.matchAll(SCRIPT_URL)) {
    const start = match.index + match[0].length;
    const specifier = file.text.slice(start, file.code.indexOf(match[1] ?? "", start));
    if (specifier.startsWith(".")) found.push({ specifier, target: posix.join(posix.dirname(file.path), specifier) });
  }
  return found;
}

/** Line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Names as code uses them, each with its first place. */
export function identifiersOf(file: SourceFile): Map<string, number> {
  const found = new Map<string, number>();
  for (const match of file.code.matchAll(/[A-Za-z_$][\w$]*/g)) {
    if (!found.has(match[0])) found.set(match[0], match.index);
  }
  return found;
}

/** `nodeRunState` → node, run, state. */
export function wordsOf(identifier: string): string[] {
  return identifier
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_$]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Replaces what is not code by spaces. Template texts go, the expressions inside them stay. */
function blank(text: string): string {
  const out = text.split("");
  const hide = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) if (out[at] !== "\n") out[at] = " ";
  };
  /** Depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let braces = 0;
  let at = 0;
  const template = (from: number): number => {
    const end = endOfTemplatePart(text, from);
    hide(from, end);
    if (text[end] === "$") {
      templates.push(braces);
      return end + 2;
    }
    return end + 1;
  };
  while (at < text.length) {
    const two = text.slice(at, at + 2);
    const one = text.charAt(at);
    if (two === "//" || two === "/*" || (at === 0 && two === "#!")) {
      const end = endOf(text, two === "/*" ? "*/" : "\n", at + 2);
      hide(at, end);
      at = end;
    } else if (one === '"' || one === "'") {
      const end = endOfQuoted(text, at + 1, one);
      hide(at + 1, end);
      at = end + 1;
    } else if (one === "`") at = template(at + 1);
    else if (one === "/" && isPatternAt(text, out, at)) {
      const end = endOfPattern(text, at + 1);
      hide(at + 1, end);
      at = end + 1;
    } else if (one === "}" && templates.at(-1) === braces) {
      templates.pop();
      at = template(at + 1);
    } else {
      if (one === "{") braces += 1;
      if (one === "}") braces -= 1;
      at += 1;
    }
  }
  return out.join("");
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found === -1) return text.length;
  return mark === "\n" ? found : found + mark.length;
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

function endOfTemplatePart(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "`" && !(text[at] === "$" && text[at + 1] === "{")) {
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** A slash starts a pattern where a value may stand, that is not after a value. */
function isPatternAt(text: string, out: readonly string[], at: number): boolean {
  // Markup: `</p>` and `<br />` close, they divide nothing.
  if (text[at - 1] === "<" || text[at + 1] === ">") return false;
  let before = at - 1;
  while (before >= 0 && /\s/.test(out[before] ?? "")) before -= 1;
  if (before < 0) return true;
  if (/[\w$]/.test(text.charAt(before))) {
    const word = /[\w$]+$/.exec(text.slice(Math.max(0, before - 20), before + 1))?.[0] ?? "";
    return ["return", "typeof", "case", "in", "of", "void", "delete", "await", "yield"].includes(word);
  }
  return !/[)\]}"'`]/.test(text.charAt(before));
}

function endOfPattern(text: string, from: number): number {
  let at = from;
  let isInClass = false;
  while (at < text.length && text[at] !== "\n" && (isInClass || text[at] !== "/")) {
    if (text[at] === "[") isInClass = true;
    if (text[at] === "]") isInClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, text.length);
}
