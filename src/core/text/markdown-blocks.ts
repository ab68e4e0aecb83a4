/** A block of a Markdown text. Unknown markup and all HTML stay text. */
export type MarkdownBlock =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly ListItem[] }
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "rule" };

export interface ListItem {
  readonly depth: number;
  readonly text: string;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const FENCE = /^ {0,3}(```+|~~~+)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DIVIDER = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Each pattern reads one line, so the cost is linear in the number of lines. */
export function blocksOf(markdown: string): readonly MarkdownBlock[] {
  const lines = markdown.replaceAll(/\r\n?/g, "\n").split("\n");
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const read = readBlock(lines, at);
    if (read.block !== null) blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

interface Read {
  readonly block: MarkdownBlock | null;
  readonly next: number;
}

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { block: null, next: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return readCode(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const text = (heading[2] ?? "").replace(/[ \t]+#+[ \t]*$/, "");
    return { block: { kind: "heading", level: heading[1]?.length ?? 1, text }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (ITEM.test(line)) return readList(lines, at);
  if (QUOTE.test(line)) return readQuote(lines, at);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) return readTable(lines, at);
  return readParagraph(lines, at);
}

function readCode(lines: readonly string[], at: number, fence: string): Read {
  const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence) && line.trim() === fence);
  const last = end === -1 ? lines.length : end;
  return { block: { kind: "code", text: lines.slice(at + 1, last).join("\n") }, next: last + 1 };
}

function readList(lines: readonly string[], at: number): Read {
  const items: { depth: number; text: string }[] = [];
  const isOrdered = ITEM.exec(lines[at] ?? "")?.[2] !== undefined;
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const item = ITEM.exec(line);
    const last = items.at(-1);
    if (item !== null) items.push({ depth: depthOf(item[1] ?? ""), text: item[3] ?? "" });
    else if (line.trim() === "" || last === undefined || startsBlock(line)) break;
    else last.text += `\n${line.trim()}`;
  }
  return { block: { kind: "list", isOrdered, items }, next };
}

function depthOf(indent: string): number {
  return Math.min(Math.floor(indent.replaceAll("\t", "    ").length / 2), 5);
}

function readQuote(lines: readonly string[], at: number): Read {
  const quoted: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const found = QUOTE.exec(lines[next] ?? "");
    if (found === null) break;
    quoted.push(found[1] ?? "");
  }
  return { block: { kind: "quote", text: quoted.join("\n") }, next };
}

function readTable(lines: readonly string[], at: number): Read {
  const rows: (readonly string[])[] = [];
  let next = at + 2;
  for (; next < lines.length && (lines[next] ?? "").includes("|"); next += 1) rows.push(cellsOf(lines[next] ?? ""));
  return { block: { kind: "table", head: cellsOf(lines[at] ?? ""), rows }, next };
}

function cellsOf(line: string): readonly string[] {
  const text = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return text.split("|").map((cell) => cell.trim());
}

function readParagraph(lines: readonly string[], at: number): Read {
  let next = at + 1;
  while (next < lines.length && (lines[next] ?? "").trim() !== "" && !startsBlock(lines[next] ?? "")) next += 1;
  return { block: { kind: "paragraph", text: lines.slice(at, next).join("\n") }, next };
}

function startsBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || ITEM.test(line) || RULE.test(line);
}
