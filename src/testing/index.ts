/** For tests of what is written for Sluice: does an adapter follow the interface? */
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
