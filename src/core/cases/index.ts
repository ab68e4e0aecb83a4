export { casesJsonSchema, type Expected, RUN_ENDINGS, type WrittenCase } from "./case-schema.ts";
export {
  type CaseAnswers,
  type CaseEvent,
  type CaseFile,
  type CaseReading,
  looksLikeCases,
  readCases,
  type TestCase,
} from "./case-file.ts";
export { checkOutcome } from "./check.ts";
export { coverageItems, type CoverageFigure, type CoverageItem, coverageOf, coveredBy } from "./coverage.ts";
export { type Mismatch } from "./expectation.ts";
export { nameProblems } from "./name-problems.ts";
export type { CaseCall, CaseOutcome, CaseVerdict, NodeOutcome, CaseEnding } from "./outcome.ts";
export { answersFor, type PersonAnswer, type PersonAnswers } from "./person-answers.ts";
export { type RecordedRun, recordRun } from "./recording.ts";
export { readRecording, type Recording } from "./read-recording.ts";
export { compareSnapshots, snapshotOf } from "./snapshot.ts";
