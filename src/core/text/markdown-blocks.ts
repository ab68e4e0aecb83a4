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
  /** The number as it was written. Null in a list that has none. */
  readonly number: number | null;
  readonly text: string;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
/** Also far to the right, as in an item of a list. A line with more backticks after these is code within a text. */
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
/** Of a line without spaces around it: with them, two parts of the pattern could take the same spaces. */
const DIVIDER = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

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
    const text = withoutClosing(heading[2] ?? "");
    return { block: { kind: "heading", level: heading[1]?.length ?? 1, text }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (ITEM.test(line)) return readList(lines, at);
  if (QUOTE.test(line)) return readQuote(lines, at);
  if (startsTable(lines, at)) return readTable(lines, at);
  return readParagraph(lines, at);
}

function readCode(lines: readonly string[], at: number, fence: string): Read {
  const indent = (lines[at] ?? "").indexOf(fence);
  const code: string[] = [];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (line.trim() === fence) break;
    const own = line.length - line.trimStart().length;
    code.push(line.slice(Math.min(indent, own)));
  }
  return { block: { kind: "code", text: code.join("\n") }, next: next + 1 };
}

/** Returns the text of a heading without the signs that may close it. */
function withoutClosing(heading: string): string {
  const text = heading.trimEnd();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end === text.length || !/^$|[ \t]/.test(text.charAt(end - 1)) ? text : text.slice(0, end).trimEnd();
}

/** A list of items that all have a number, or all have none. An item of the other kind begins another list. */
function readList(lines: readonly string[], at: number): Read {
  const items: { depth: number; number: number | null; text: string }[] = [];
  const isOrdered = ITEM.exec(lines[at] ?? "")?.[2] !== undefined;
  let next = at;
  while (next < lines.length) {
    const line = lines[next] ?? "";
    const [item, last] = [RULE.test(line) ? null : ITEM.exec(line), items.at(-1)];
    if (item !== null) {
      if ((item[2] !== undefined) !== isOrdered) break;
      const number = item[2] === undefined ? null : Number(item[2]);
      items.push({ depth: depthOf(item[1] ?? ""), number, text: item[3] ?? "" });
    } else if (last === undefined || startsBlock(lines, next)) break;
    else if (line.trim() !== "") last.text += `\n${line.trim()}`;
    else if (/^[ \t]{2,}\S/.test(lines[next + 1] ?? "") && !startsBlock(lines, next + 1)) last.text += "\n";
    else if (!ITEM.test(lines[next + 1] ?? "")) break;
    next += 1;
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

/** The line below the head has as many cells as the head. Without that, it is an ordinary text with a line in it. */
function startsTable(lines: readonly string[], at: number): boolean {
  const [head = "", divider = ""] = [lines[at], lines[at + 1]];
  return head.includes("|") && DIVIDER.test(divider.trim()) && cellsOf(head).length === cellsOf(divider).length;
}

function cellsOf(line: string): readonly string[] {
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readParagraph(lines: readonly string[], at: number): Read {
  let next = at + 1;
  while (next < lines.length && (lines[next] ?? "").trim() !== "" && !startsBlock(lines, next)) next += 1;
  return { block: { kind: "paragraph", text: lines.slice(at, next).join("\n") }, next };
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  const isMarked = FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || ITEM.test(line) || RULE.test(line);
  return isMarked || startsTable(lines, at);
}
