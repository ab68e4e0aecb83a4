export { type Impediment, impedimentOf, mayBecome, POC_DAYS, pocEndsAt } from "./agent-standing.ts";
export { type ActionPermission, permissionOf } from "./autonomy.ts";
export {
  type Backtest,
  backtest,
  type BacktestExample,
  type BacktestOutcome,
  type Disposition,
  type RecordedVerdict,
} from "./backtest.ts";
export { instantText, readInstant } from "./calendar.ts";
export { creditsFor, type Spent } from "./credits.ts";
export {
  agentEnvelopeId,
  agentEnvelopeOf,
  budgetsFor,
  type Charged,
  envelopeOf,
  fits,
  type InRole,
  isExhausted,
  isSpendingCounted,
  roleBoundOf,
  type Spending,
  thresholdsCrossed,
} from "./envelope.ts";
export { type Estimated, estimateMicros, maxOutputTokensFor, OUTPUT_TOKENS_DEFAULT, promptTokens } from "./estimate.ts";
export type * from "./facts.ts";
export type * from "./gate.ts";
export { CONTRADICTION } from "./gate.ts";
export { RUNG_GRANT, TWO_AGENTS_GRANT } from "./gates/approval-required.ts";
export {
  DISPATCH_GATES,
  explainBlock,
  explainHold,
  judgeDispatch,
  judgeLaunch,
  LAUNCH_GATES,
  LAUNCH_STATUSES,
} from "./judge.ts";
export { toUsd, usdText } from "./money.ts";
export { type PeriodSpan, periodOf } from "./period.ts";
export { dispatchPolicies, policyKey } from "./policy.ts";
export { policyFacts } from "./policy-fact.ts";
export { policySubject } from "./policy-subject.ts";
export {
  addHits,
  countSince,
  EXACT_COUNT_MAX,
  type Hits,
  leaveAt,
  type RateWindow,
  rateWindowOf,
  SLICES,
} from "./rate-window.ts";
export { type ConditionCache, factsFromRecord, factsText, RECORDED_ARGS_BYTES_MAX } from "./record.ts";
export * from "./registered.ts";
