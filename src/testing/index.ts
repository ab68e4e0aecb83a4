/** For tests of what is written for Sluice: does an adapter follow the interface, and a workflow its cases? */
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
