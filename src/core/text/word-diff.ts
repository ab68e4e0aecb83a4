import { type DiffLine, diffLines } from "./line-diff.ts";

/** A part of a line that is in both lines, or only in one. */
export interface WordPart {
  readonly kind: DiffLine["kind"];
  readonly text: string;
}

/** A longer line is compared as a whole, because its words would not be read one by one. */
const LENGTH_MAX = 5_000;
const WORDS = /\s+|[\p{L}\p{N}_]+|./gu;

/** Returns the differences of two lines, word by word. Adjacent parts of the same kind are merged. */
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

/** Puts each word on a line, so that the line comparison can be used. */
function wordsOf(line: string): string {
  return (line.match(WORDS) ?? []).join("\n");
}
