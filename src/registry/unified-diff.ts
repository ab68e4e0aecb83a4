import { type DiffLine, diffLines, hunksOf } from "../core/text/index.ts";

const MARKS = { same: " ", removed: "-", added: "+" } as const;

/** Returns the changes between two texts by lines, in the format of `diff -u`; '' when there are none. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const lines = diffLines(before, after);
  let shown = 0;
  return hunksOf(lines)
    .map((hunk) => {
      const start = shown;
      shown += hunk.kind === "gap" ? hunk.count : hunk.lines.length;
      if (hunk.kind === "gap") return "";
      return headOf(lines.slice(0, start + 1)) + hunk.lines.map(({ kind, text }) => `${MARKS[kind]}${text}\n`).join("");
    })
    .join("");
}

/** Returns the header of a hunk with the numbers of its first line. A side without that line shows the line before it. */
function headOf(until: readonly DiffLine[]): string {
  const before = until.findLast((line) => line.before !== null)?.before ?? 1;
  const after = until.findLast((line) => line.after !== null)?.after ?? 1;
  return `@@ -${before} +${after} @@\n`;
}
