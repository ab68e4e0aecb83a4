export { BACKTEST_VERDICTS_MAX, backtestPolicy, type PolicyBacktest } from "./backtest.ts";
export { Governor, type GovernorOptions } from "./governor.ts";
export type { AboutRun, AdmittedAttempt, Admission, Changes, Judge, Returned, Ruling } from "./judge.ts";
export type { LaunchWish } from "./launch.ts";
export { createAllowAllJudge } from "./open-judge.ts";
export { openGovernance, type OpenedGovernance } from "./open-governance.ts";
