/** One line of a comparison. Line numbers start at 1 and are null on the side without the line. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A group of changes with the lines around it, or a gap: omitted lines between two groups. */
export type DiffHunk =
  | { readonly kind: "lines"; readonly lines: readonly DiffLine[] }
  | { readonly kind: "gap"; readonly count: number };

/** With more changes than this, the middle part is shown as fully replaced, because a larger difference is not read line by line. */
const STEPS_MAX = 2_000;

/** Returns the shortest edit script from one text to the other, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const left = linesOf(before);
  const right = linesOf(after);
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  ) {
    tail += 1;
  }
  const moves = shortestWay(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  const kinds: DiffLine["kind"][] = [
    ...Array.from({ length: head }, () => "same" as const),
    ...moves,
    ...Array.from({ length: tail }, () => "same" as const),
  ];
  let from = 0;
  let to = 0;
  return kinds.map((kind): DiffLine => {
    const text = (kind === "added" ? right[to] : left[from]) ?? "";
    const isBefore = kind !== "added";
    const isAfter = kind !== "removed";
    if (isBefore) from += 1;
    if (isAfter) to += 1;
    return { kind, before: isBefore ? from : null, after: isAfter ? to : null, text };
  });
}

/** Returns the changes with some lines around them. The lines between are only counted. */
export function hunksOf(lines: readonly DiffLine[], around = 3): readonly DiffHunk[] {
  const near = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (line.kind === "same") continue;
    const end = Math.min(index + around, lines.length - 1);
    for (let at = Math.max(0, index - around); at <= end; at += 1) near.add(at);
  }
  const hunks: DiffHunk[] = [];
  for (let start = 0; start < lines.length;) {
    let end = start;
    while (end < lines.length && near.has(end) === near.has(start)) end += 1;
    if (near.has(start)) hunks.push({ kind: "lines", lines: lines.slice(start, end) });
    else hunks.push({ kind: "gap", count: end - start });
    start = end;
  }
  return hunks;
}

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** Returns the differences of two texts, one line each with its sign. */
export function diffText(before: string, after: string): string {
  return hunksOf(diffLines(before, after))
    .flatMap((hunk) =>
      hunk.kind === "gap"
        ? [`  … ${hunk.count} unchanged`]
        : hunk.lines.map(({ kind, text }) => `${SIGNS[kind]} ${text}`),
    )
    .join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Greedy search by edit distance (Myers): for each distance, the farthest point on each diagonal. */
function shortestWay(left: readonly string[], right: readonly string[]): readonly DiffLine["kind"][] {
  const reach = Math.min(left.length + right.length, STEPS_MAX);
  const middle = reach + 1;
  const far = new Int32Array(2 * reach + 3).fill(-1);
  far[middle + 1] = 0;
  const trace: Int32Array[] = [];
  for (let steps = 0; steps <= reach; steps += 1) {
    trace.push(far.slice(middle - steps - 1, middle + steps + 2));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const isDown = isDownAt(far, middle, diagonal, steps);
      let x = isDown ? at(far, middle + diagonal + 1) : at(far, middle + diagonal - 1) + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      far[middle + diagonal] = x;
      if (x >= left.length && x - diagonal >= right.length) return wayBack(trace, left.length, right.length);
    }
  }
  return [...left.map(() => "removed" as const), ...right.map(() => "added" as const)];
}

/** `trace[n]` holds the diagonals -n-1 to n+1 before step n. */
function wayBack(trace: readonly Int32Array[], width: number, height: number): readonly DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let x = width;
  let y = height;
  for (const [steps, far] of [...trace.entries()].reverse()) {
    const diagonal = x - y;
    const isDown = isDownAt(far, steps + 1, diagonal, steps);
    const before = isDown ? diagonal + 1 : diagonal - 1;
    const startX = at(far, steps + 1 + before);
    const startY = startX - before;
    while (x > Math.max(0, startX) && y > Math.max(0, startY)) {
      kinds.push("same");
      x -= 1;
      y -= 1;
    }
    if (steps === 0) break;
    kinds.push(isDown ? "added" : "removed");
    x = startX;
    y = startY;
  }
  return kinds.reverse();
}

/** Returns whether the diagonal is reached by an added line rather than by a removed one. */
function isDownAt(far: Int32Array, middle: number, diagonal: number, steps: number): boolean {
  if (diagonal === -steps) return true;
  return diagonal !== steps && at(far, middle + diagonal - 1) < at(far, middle + diagonal + 1);
}

function at(far: Int32Array, index: number): number {
  return far[index] ?? -1;
}
