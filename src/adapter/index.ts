export {
  type AbortReason,
  ADAPTER_SPECIFICATION,
  adapterModelsSchema,
  adapterRequestSchema,
  adapterResultSchema,
  type Adapter,
  type AdapterCapabilities,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterModels,
  type AdapterRequest,
  type AdapterResult,
  type FinalResult,
  type LogLine,
  type StreamPart,
} from "./adapter.ts";
export {
  CALLS_PER_ROUND_MAX,
  type CallRuling,
  callRulingSchema,
  type Resume,
  type RoundReply,
  type RoundReport,
  roundReplySchema,
  roundReportSchema,
  type ToolAsk,
  toolAskSchema,
  toolCallId,
  type ToolReport,
  toolReportSchema,
  TURN_SUPPORT,
  type TurnHooks,
  type TurnSupport,
} from "./agent-turn.ts";
export {
  type FailedResult,
  type ModelReply,
  type ModelToolCall,
  outcomeText,
  type RoundUsage,
  runTurn,
  type TurnEnd,
  type TurnOptions,
} from "./turn-loop.ts";
export type { ToolDescription } from "../core/event/index.ts";
export type { AllowedCall, ToolRunner } from "./turn-calls.ts";
export type { CallOutcome, TurnRound } from "./turn-history.ts";
export type { AdapterFiles } from "./adapter-files.ts";
export {
  TrialJudge,
  type TrialJudgeOptions,
  type TrialRule,
  type TrialRuling,
  type TrialStep,
} from "./conformance-judge.ts";
export {
  type FindSecret,
  type HandedSecret,
  handedSecretSchema,
  type SecretReference,
  secretReferenceSchema,
} from "./handed-secret.ts";
export { checkAdapter, type ConformanceOptions } from "./conformance.ts";
export type { ConformanceCheck, ConformanceReport } from "./conformance-report.ts";
export type { Sample } from "./conformance-request.ts";
