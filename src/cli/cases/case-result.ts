import type { Place } from "../../core/base/index.ts";
import type { CaseOutcome, CoverageFigure, CoverageItem, Mismatch } from "../../core/cases/index.ts";

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly place: Place;
  /** Differences from the expectations. Empty when the case passed. */
  readonly mismatches: readonly PlacedMismatch[];
  /** Null when the case did not end. */
  readonly outcome: CaseOutcome | null;
  readonly durationMs: number;
}

export interface PlacedMismatch extends Mismatch {
  readonly place: Place;
  readonly hint: string | null;
}

/** The result of one file of cases. */
export interface FileResult {
  readonly file: string;
  /** The reason why none of its cases was run. Null when they were run. */
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
  /** Null when coverage was not requested. */
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
