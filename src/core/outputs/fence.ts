/** A fenced block of a text: the info string of its opening line, and its content. */
export interface Fence {
  readonly info: string;
  readonly content: string;
  /** Start of the opening line and end of the closing line. */
  readonly start: number;
  readonly end: number;
}

export interface Fences {
  readonly blocks: readonly Fence[];
  /** True when the last block has no closing line, because the answer was cut off. */
  readonly isCutOff: boolean;
}

interface OpenFence {
  readonly mark: string;
  readonly length: number;
  readonly info: string;
  readonly start: number;
  readonly contentStart: number;
}

/** Returns every fenced block, in one pass over the lines. */
export function readFences(text: string): Fences {
  const blocks: Fence[] = [];
  let open: OpenFence | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, next).trimEnd();
    if (open === undefined) open = openingOf(line, start, next);
    else if (isClosing(line, open)) {
      const end = start + line.length;
      blocks.push({ info: open.info, content: text.slice(open.contentStart, start), start: open.start, end });
      open = undefined;
    }
    start = next;
  }
  return { blocks, isCutOff: open !== undefined };
}

/** Returns the content of a text that consists of exactly one fenced block. */
export function insideOnlyFence(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") && !trimmed.startsWith("~~~")) return undefined;
  const [block, ...others] = readFences(trimmed).blocks;
  if (block === undefined || others.length > 0 || block.start !== 0 || block.end !== trimmed.length) return undefined;
  return block.content.replace(/\r?\n$/, "");
}

function openingOf(line: string, start: number, next: number): OpenFence | undefined {
  const fence = fenceOf(line);
  if (fence === undefined) return undefined;
  const info = line.slice(fence.indent + fence.length).trim();
  // Backticks later in the opening line mean inline code, not a block.
  if (fence.mark === "`" && info.includes("`")) return undefined;
  return { mark: fence.mark, length: fence.length, info, start, contentStart: next };
}

function isClosing(line: string, open: OpenFence): boolean {
  const fence = fenceOf(line);
  return (
    fence !== undefined &&
    fence.mark === open.mark &&
    fence.length >= open.length &&
    fence.indent + fence.length === line.length
  );
}

const INDENT_MAX = 3;
const FENCE_LENGTH_MIN = 3;

function fenceOf(
  line: string,
): { readonly mark: string; readonly indent: number; readonly length: number } | undefined {
  let indent = 0;
  while (indent < INDENT_MAX && line[indent] === " ") indent += 1;
  const mark = line[indent];
  if (mark !== "`" && mark !== "~") return undefined;
  let length = 0;
  while (line[indent + length] === mark) length += 1;
  return length < FENCE_LENGTH_MIN ? undefined : { mark, indent, length };
}
