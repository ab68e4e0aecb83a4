/** Test tools for authors: check that an adapter follows the interface, and that a workflow passes its cases. */
export { type Case, cases, type CasesOptions } from "./cases.ts";
export {
  checkAdapter,
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
  type Sample,
  TrialJudge,
  type TrialJudgeOptions,
  type TrialRule,
  type TrialRuling,
  type TrialStep,
} from "../adapter/index.ts";
