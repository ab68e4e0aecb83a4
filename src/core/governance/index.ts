export { mayBecome } from "./agent-standing.ts";
export { permissionOf } from "./autonomy.ts";
export { type Backtest, backtest, type RecordedVerdict } from "./backtest.ts";
export { readInstant } from "./calendar.ts";
export { creditsFor, type ChargeableUsage } from "./credits.ts";
export {
  agentEnvelopeId,
  agentEnvelopeOf,
  budgetsFor,
  envelopeOf,
  isSpendingCounted,
  roleBoundOf,
  type Spending,
  thresholdsCrossed,
} from "./envelope.ts";
export { type Estimated, estimateMicros, firstRoundMicros, maxOutputTokensFor, nextRoundMicros } from "./estimate.ts";
export type * from "./facts.ts";
export type * from "./gate.ts";
export { CONTRADICTION } from "./gate.ts";
export { DISPATCH_GATES, explainBlock, judgeDispatch, judgeLaunch, LAUNCH_GATES, LAUNCH_STATUSES } from "./judge.ts";
export { usdText } from "./money.ts";
export * from "./organisation-limits.ts";
export { periodOf } from "./period.ts";
export { strictest } from "./gates/approval-required.ts";
export { dispatchPolicies, policyKey, reasonOf } from "./policy.ts";
export { policyFacts } from "./policy-fact.ts";
export { hostOf, nodeCallOf } from "./node-call.ts";
export { GRANT_FACTS } from "./grant.ts";
export type * from "./tool-fact.ts";
export { judgeRound, judgeTool, ROUND_GATES, TOOL_GATES } from "./tool-judge.ts";
export { boundsOf, profileOf, type CallProfile } from "./tool-profile.ts";
export { policySubject } from "./policy-subject.ts";
export {
  addHits,
  countSince,
  EXACT_COUNT_MAX,
  type Hits,
  expiryOfOldest,
  type RateWindow,
  rateWindowOf,
  SLICES,
} from "./rate-window.ts";
export { factsFromRecord, factsText, writeFacts } from "./record.ts";
export { RecordText, type SharedPart } from "./record-part.ts";
export { expandRecord, sharedNames } from "./shared-record.ts";
export type { ConditionCache } from "./record-part.ts";
export { isRoundRecord, isToolRecord, roundFactsText, toolFactsFromRecord, toolFactsText } from "./tool-record.ts";
export * from "./registered.ts";
