import { formatPath, type ProblemCode, type TreePath, type WarningCode } from "../base/index.ts";

/** A problem without line and column. These are computed only for the few problems that are shown. */
export interface Finding {
  readonly code: ProblemCode | WarningCode;
  readonly message: string;
  /** Path of the value with the problem. */
  readonly path: TreePath;
  /** Path at which the problem is shown, when `path` is not in the text (a missing field). */
  readonly at?: TreePath;
  /** Whether the problem is shown at the key instead of the value. */
  readonly isAtKey?: boolean;
  /** Offset of the problem in the text at the path. */
  readonly offset?: number;
  /** The hint, or a function that computes it. Searching for a similar word is expensive, so it is done only for shown problems. */
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
  /** Whether the text was accepted by an earlier version of Sluice. Then the problems of newer checks are only warnings. */
  readonly isStored?: boolean;
}

/** Maximum number of stored findings. A malicious file can contain a million problems, and only fifty are shown. */
const KEPT_MAX = 5_000;

/** Collects the problems and warnings of one file. */
export class Report {
  readonly problems: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #borrowed = new Map<string, Borrowed>();
  readonly isStored: boolean;

  constructor({ isStored = false }: ReadOptions = {}) {
    this.isStored = isStored;
  }

  /** Whether no more findings are stored. Then callers need not create messages. */
  get isFull(): boolean {
    return this.problems.length >= KEPT_MAX || this.warnings.length >= KEPT_MAX;
  }

  problem(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.problems.length < KEPT_MAX) this.problems.push(this.#locate({ code, path, message, ...detail }));
  }

  warning(code: WarningCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.warnings.length < KEPT_MAX) this.warnings.push(this.#locate({ code, path, message, ...detail }));
  }

  /** Reports the result of a newer check. Versions stored before the check existed keep running, with a warning. */
  strict(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    const list = this.isStored ? this.warnings : this.problems;
    if (list.length < KEPT_MAX) list.push(this.#locate({ code, path, message, ...detail }));
  }

  /** Reports a possible problem that cannot be confirmed here, such as a reference that only a registry can check. */
  unconfirmed(code: ProblemCode, path: TreePath, message: string, detail: Detail = {}): void {
    if (this.warnings.length < KEPT_MAX) this.warnings.push(this.#locate({ code, path, message, ...detail }));
  }

  /** Shows later problems in these fields at the step, because the step takes the fields from a library entry. */
  reportAtStep(step: TreePath, libraryName: string, keys: Iterable<string>): void {
    this.#borrowed.set(formatPath(step), { libraryName, keys: new Set(keys) });
  }

  /** Adds the findings of a part that was read separately. `placeOf` returns the path in this file, or null to drop the finding. */
  addFindings({ problems, warnings }: Report, placeOf: (path: TreePath) => TreePath | null): void {
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
