import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRepository, REPOSITORY } from "../law/source.ts";

/** One fenced block of a page: ```` ```yaml file=hello.lobsterX ````. */
export interface Block {
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language: `file=x` is a word with a value, `step` one without. */
  readonly words: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const FENCE = /^( *)```([^\n`]*)\n([\s\S]*?)^ *```[^\S\n]*$/gm;

export function blocksOf(path: string, text: string): readonly Block[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const [, indent = "", info = "", body = ""] = match;
    const [language = "", ...words] = info.trim().split(/\s+/);
    return {
      page: path,
      line: text.slice(0, match.index).split("\n").length,
      language,
      words: new Map(words.map((word) => [word.split("=", 1)[0] ?? "", word.slice(word.indexOf("=") + 1)])),
      text: indent === "" ? body : body.replaceAll(new RegExp(`^ {0,${indent.length}}`, "gm"), ""),
    };
  });
}

/** The pages people read: all Markdown files except the changelog and the decisions. */
export function readPages(): readonly Page[] {
  return readRepository()
    .filter(({ path }) => path.endsWith(".md") && path !== "CHANGELOG.md" && !path.startsWith("docs/decisions/"))
    .map(({ path, text }) => ({ path, text, blocks: blocksOf(path, text) }));
}

export function readPage(path: string): Page {
  const text = readFileSync(join(REPOSITORY, path), "utf8");
  return { path, text, blocks: blocksOf(path, text) };
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}
