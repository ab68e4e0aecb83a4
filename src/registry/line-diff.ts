/** Beyond this many comparisons a diff would only show that everything changed. */
const CELLS_MAX = 4_000_000;
const CONTEXT = 3;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

const kept = (text: string): Line => ({ mark: " ", text });
const removed = (text: string): Line => ({ mark: "-", text });
const added = (text: string): Line => ({ mark: "+", text });

/** What changed from one text to another, line by line, as `diff -u` shows it; '' when nothing did. */
export function diffLines(before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(linesOf(before), linesOf(after));
  return hunksOf(lines).join("");
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return [
    ...before.slice(0, head).map(kept),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
}

/** Along the longest common subsequence; removed lines stand before the added ones. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > CELLS_MAX) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (left: number, right: number): number => common[left * width + right] ?? 0;
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      common[left * width + right] =
        before[left] === after[right]
          ? at(left + 1, right + 1) + 1
          : Math.max(at(left + 1, right), at(left, right + 1));
    }
  }
  const lines: Line[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const old = before[left];
    const fresh = after[right];
    if (old !== undefined && old === fresh) {
      lines.push(kept(old));
      left += 1;
      right += 1;
    } else if (old !== undefined && (fresh === undefined || at(left + 1, right) >= at(left, right + 1))) {
      lines.push(removed(old));
      left += 1;
    } else {
      lines.push(added(fresh ?? ""));
      right += 1;
    }
  }
  return lines;
}

/** Changes with a few lines around them, each group under the numbers of its first lines. */
function hunksOf(lines: readonly Line[]): readonly string[] {
  const shown = new Set<number>();
  lines.forEach(({ mark }, index) => {
    if (mark === " ") return;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near += 1) shown.add(near);
  });
  const hunks: string[] = [];
  let oldLine = 0;
  let newLine = 0;
  lines.forEach(({ mark, text }, index) => {
    if (mark !== "+") oldLine += 1;
    if (mark !== "-") newLine += 1;
    if (!shown.has(index)) return;
    if (!shown.has(index - 1) || index === 0) {
      hunks.push(`@@ -${Math.max(oldLine, 1)} +${Math.max(newLine, 1)} @@\n`);
    }
    hunks.push(`${mark}${text}\n`);
  });
  return hunks;
}
