import { compareCodeUnits, formatPath, LIMITS, type Problem, type ProblemCode, type TreePath } from "../base/index.ts";
import type { LineTable } from "./line-table.ts";

/** Several readers report problems of one text in different orders. Collecting this many keeps the first fifty by place exact. */
const COLLECTED_MAX = LIMITS.problemsMax * 4;
const SHOWN_LENGTH_MAX = 80;

/** Problems of one text, added by offset and returned in order of place. */
export class ProblemList {
  readonly #lines: LineTable;
  readonly #problems: Problem[] = [];

  constructor(lines: LineTable) {
    this.#lines = lines;
  }

  get isFull(): boolean {
    return this.#problems.length >= COLLECTED_MAX;
  }

  add(code: ProblemCode, offset: number, path: TreePath, message: string, hint?: string): void {
    if (this.isFull) return;
    const shown = formatPath(path.map((segment) => (typeof segment === "string" ? clip(segment) : segment)));
    const problem = { code, message, path: shown, ...this.#lines.placeOf(offset) };
    this.#problems.push(hint === undefined ? problem : { ...problem, hint });
  }

  sorted(): readonly Problem[] {
    return this.#problems
      .toSorted(
        (left, right) =>
          left.line - right.line || left.column - right.column || compareCodeUnits(left.code, right.code),
      )
      .slice(0, LIMITS.problemsMax);
  }
}

/** Cuts a key for a message: the key may be a megabyte long. */
function clip(text: string): string {
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX - 1)}…` : text;
}

/** Formats a piece of the author's text for a message: in quotes, on one line, and short. */
export function shown(text: string): string {
  return JSON.stringify(clip(text));
}
