export { BACKTEST_VERDICTS_MAX, backtestPolicy, type PolicyBacktest } from "./backtest.ts";
export { Governor } from "./governor.ts";
export type { AboutRun, Admission, Changes, Judge, QueuePlace, Returned, Ruling, RulingRecord } from "./judge.ts";
export type { LaunchSubject } from "./launch.ts";
export type { LaunchRuling } from "./launch-admission.ts";
export { LaunchWatch } from "./launch-watch.ts";
export { createAllowAllJudge } from "./open-judge.ts";
export { slotChangesOf, type TurnTaking } from "./turn-ruling.ts";
export { type GovernanceFigures, openGovernance, type OpenedGovernance } from "./open-governance.ts";
