import { type DiffLine, diffLines } from "./line-diff.ts";

/** A piece of a line: in both, or only in one. */
export interface WordPart {
  readonly kind: DiffLine["kind"];
  readonly text: string;
}

/** A longer line is compared as a whole: its words would not be read one by one. */
const LENGTH_MAX = 5_000;
const WORDS = /\s+|[\p{L}\p{N}_]+|./gu;

/** What differs between two lines, word by word; neighbours of the same kind are one part. */
export function diffWords(before: string, after: string): readonly WordPart[] {
  if (before.length + after.length > LENGTH_MAX || before.includes("\n") || after.includes("\n")) {
    const whole: readonly WordPart[] = [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
    return whole.filter(({ text }) => text !== "");
  }
  const parts: WordPart[] = [];
  for (const { kind, text } of diffLines(wordsOf(before), wordsOf(after))) {
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else parts.push({ kind, text });
  }
  return parts;
}

/** A word is a line to the comparison of lines. */
function wordsOf(line: string): string {
  return (line.match(WORDS) ?? []).join("\n");
}
