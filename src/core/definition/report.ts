import { formatPath, type ProblemCode, type TreePath, type WarningCode } from "../base/index.ts";

/** A problem before it has a place: the text it came from is only asked for the few that are shown. */
export interface Finding {
  readonly code: ProblemCode | WarningCode;
  readonly message: string;
  /** What it is about. */
  readonly path: TreePath;
  /** Where it is shown, when what it is about is not in the text (a missing field). */
  readonly at?: TreePath;
  /** Shown at the key and not at its value. */
  readonly isAtKey?: boolean;
  /** Offset in the text at the path. */
  readonly offset?: number;
  /** Searching for a likely word is expensive, so it happens only for what is shown. */
  readonly hint?: Hint;
}

export type Hint = string | (() => string | undefined) | undefined;

interface Detail {
  readonly at?: TreePath;
  readonly isAtKey?: boolean;
  readonly offset?: number;
  readonly hint?: Hint;
}

export interface ReadOptions {
  /** The text was accepted by an earlier program: what only newer checks refuse is a warning. */
  readonly isStored?: boolean;
}

/** A hostile file can hold a million mistakes, and fifty are shown: beyond this many nothing more is kept. */
const KEPT_MAX = 5_000;

/** Collects what is wrong with one file. */
export class Report {
  readonly problems: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #borrowed = new Map<string, Borrowed>();
  readonly isStored: boolean;

  constructor({ isStored = false }: ReadOptions = {}) {
    this.isStored = isStored;
  }

  /** So much is wrong already that nothing more is kept: wording it would be in vain. */
  get isFull(): boolean {
    return this.problems.length >= KEPT_MAX || this.warnings.length >= KEPT_MAX;
  }

  problem(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.problems.length < KEPT_MAX) this.problems.push(this.#locate({ code, path, message, ...detail }));
  }

  warning(code: WarningCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.warnings.length < KEPT_MAX) this.warnings.push(this.#locate({ code, path, message, ...detail }));
  }

  /** A check that versions stored earlier have not passed: they keep running, with a warning. */
  strict(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    const list = this.isStored ? this.warnings : this.problems;
    if (list.length < KEPT_MAX) list.push(this.#locate({ code, path, message, ...detail }));
  }

  /** What would be a problem if more were known, such as a reference that only a registry could confirm. */
  doubt(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.warnings.length < KEPT_MAX) this.warnings.push(this.#locate({ code, path, message, ...detail }));
  }

  /** From now on, what is found in these fields of a step is shown at the step, which only borrows them. */
  borrow(step: TreePath, libraryName: string, keys: Iterable<string>): void {
    this.#borrowed.set(formatPath(step), { libraryName, keys: new Set(keys) });
  }

  /** Takes over what was found in a part that was read by itself, where that stands in this file; null: nowhere. */
  adopt({ problems, warnings }: Report, placeOf: (path: TreePath) => TreePath | null): void {
    const take = (from: readonly Finding[], to: Finding[]): void => {
      for (const { path, at, ...finding } of from) {
        const place = placeOf(path);
        const shown = at === undefined ? undefined : (placeOf(at) ?? undefined);
        if (place === null || to.length >= KEPT_MAX) continue;
        to.push({ ...finding, path: place, ...(shown === undefined ? {} : { at: shown }) });
      }
    };
    take(problems, this.problems);
    take(warnings, this.warnings);
  }

  #locate(finding: Finding): Finding {
    if (this.#borrowed.size === 0) return finding;
    for (const [depth, key] of finding.path.entries()) {
      if (typeof key !== "string" || typeof finding.path[depth - 1] !== "number") continue;
      const step = finding.path.slice(0, depth);
      const borrowed = this.#borrowed.get(formatPath(step));
      if (borrowed?.keys.has(key) !== true) continue;
      const message = `In "${key}", taken from library step "${borrowed.libraryName}": ${finding.message}`;
      return { code: finding.code, message, path: step, at: step, hint: finding.hint };
    }
    return finding;
  }
}

interface Borrowed {
  readonly libraryName: string;
  readonly keys: ReadonlySet<string>;
}
