import type { Place } from "../../core/base/index.ts";
import type { CaseOutcome, CoverageFigure, CoverageItem, Mismatch } from "../../core/cases/index.ts";

/** A case that was run. */
export interface CaseResult {
  readonly name: string;
  readonly place: Place;
  /** None: it passed. */
  readonly mismatches: readonly PlacedMismatch[];
  /** Null: it had no end. */
  readonly outcome: CaseOutcome | null;
  readonly durationMs: number;
}

export interface PlacedMismatch extends Mismatch {
  readonly place: Place;
  readonly hint: string | null;
}

/** A file of cases that was run, or could not be. */
export interface FileResult {
  readonly file: string;
  /** Why none of its cases was run; null: they were. */
  readonly refusal: string | null;
  readonly cases: readonly CaseResult[];
  readonly isUpdated: boolean;
}

export interface WorkflowCoverage {
  readonly workflow: string;
  readonly figures: readonly CoverageFigure[];
  readonly missed: readonly CoverageItem[];
}

export interface TestReport {
  readonly files: readonly FileResult[];
  /** Null: it was not asked for. */
  readonly coverage: readonly WorkflowCoverage[] | null;
  readonly durationMs: number;
}

export function hasFailed({ mismatches }: CaseResult): boolean {
  return mismatches.length > 0;
}

export function totalsOf({ files }: TestReport) {
  const cases = files.flatMap((file) => file.cases);
  const failed = cases.filter(hasFailed).length;
  return {
    cases: cases.length,
    passed: cases.length - failed,
    failed,
    invalidFiles: files.filter(({ refusal }) => refusal !== null).length,
  };
}
