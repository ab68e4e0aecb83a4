import {
  type FailureClass,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  utf8Length,
} from "../base/index.ts";
import type { CallbackResult, Report } from "./input.ts";
import type { Envelope } from "../event/index.ts";
import { normaliseOutput, type OutputStrategy, type OutputRepair } from "../outputs/index.ts";
import { repairText } from "../text/index.ts";

const MICROS_PER_USD = 1_000_000;

/** Maximum log lines of one dispatch in the run's log, so that a verbose adapter does not fill it. */
export const WARNINGS_MAX = 50;

/** The original report of an adapter, or of a model called by a page. */
export type Answered =
  | { readonly status: "deferred" }
  | { readonly status: "suspended"; readonly transcript?: Json | undefined }
  | Completed
  | Failed;

type Completed = {
  readonly status: "completed";
  readonly stdout?: string | undefined;
  readonly outputs?: JsonObject | undefined;
  readonly envelope?: Envelope | undefined;
} & Bill;

type Failed = {
  readonly status: "failed";
  readonly failure: FailureClass;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly retryable?: boolean | undefined;
} & Bill;

/** Converts a report for the engine: text normalised, text that cannot be stored repaired, money in micro-dollars. */
export function reportOf(result: Answered, strategy: OutputStrategy, logged: readonly string[] = []): CallbackResult {
  switch (result.status) {
    case "deferred":
      return { status: "deferred" };
    case "suspended":
      return suspendedReport(result.transcript);
    case "completed":
      return completedReport(result, strategy, logged);
    case "failed":
      return { ...failureFields(result), ...billOf(result, logged) };
  }
}

/** A turn whose transcript is too large to continue is not suspended. Its attempt fails, and a retry continues the turn. */
export function suspendedReport(transcript: Json | undefined): CallbackResult {
  const kept = transcript === undefined ? null : repairText(transcript).value;
  const bytes = kept === null ? 0 : utf8Length(JSON.stringify(kept));
  const { transcriptBytesMax } = LIMITS;
  if (bytes <= transcriptBytesMax) return { status: "suspended", transcript: kept, ...billOf({}, []) };
  const message = `The transcript of the turn has ${bytes} bytes, and may have ${transcriptBytesMax}.`;
  return { ...failureFields({ status: "failed", failure: "provider_bad_output", message }), ...billOf({}, []) };
}

function completedReport(result: Completed, strategy: OutputStrategy, logged: readonly string[]): CallbackResult {
  const warnings = [...logged];
  const found = findOutputs(result, strategy, warnings);
  const given: Record<string, Json> = {};
  if (found.stdout !== undefined) given["stdout"] = found.stdout;
  if (found.outputs !== undefined) given["outputs"] = found.outputs;
  if (result.envelope !== undefined) given["envelope"] = result.envelope as JsonObject;
  const repaired = repairText(given);
  if (repaired.isRepaired) {
    warnings.push(
      "The output held text that cannot be stored (NUL or half a surrogate pair); it was replaced by U+FFFD.",
    );
  }
  const parts = repaired.value as Pick<Completed, "stdout" | "outputs" | "envelope">;
  return {
    status: "completed",
    ...(parts.stdout === undefined ? {} : { stdout: parts.stdout }),
    ...(parts.outputs === undefined ? {} : { outputs: parts.outputs }),
    ...(parts.envelope === undefined ? {} : { envelope: parts.envelope }),
    ...billOf(result, warnings),
  };
}

/** Texts for the repairs made to an answer before its contract was checked. No repair cost a token. */
const REPAIR_TEXTS: Readonly<Record<OutputRepair, string>> = {
  code_fence: "The answer stood inside a code fence, which was taken off",
  first_json: "The answer had text around its JSON; the first JSON value in it was taken",
  tool_result: "The content of a tool result was taken as the answer",
  too_deep: "JSON in the answer is nested too deeply to be read",
  no_json: "JSON was asked for and the answer holds none",
  refused_path: "A file of the answer was left out because its path leads outside",
  unclosed_fence: "The last code fence of the answer is not closed",
};

interface Found {
  readonly stdout: string | undefined;
  readonly outputs: JsonObject | undefined;
}

/** Outputs of an adapter are used as they are. When an adapter returns only text, the outputs are parsed from it. */
function findOutputs(result: Completed, strategy: OutputStrategy, warnings: string[]): Found {
  const { stdout, outputs } = result;
  if (outputs !== undefined || stdout === undefined) return { stdout, outputs };
  const normalised = normaliseOutput(stdout, strategy, "object");
  for (const repair of normalised.repairs) warnings.push(`${REPAIR_TEXTS[repair]} (${repair})`);
  return { stdout: normalised.text, outputs: outputsFrom(normalised.value, strategy) };
}

function outputsFrom(value: Json | undefined, strategy: OutputStrategy): JsonObject | undefined {
  if (strategy === "files" && isJsonArray(value)) return { files: value };
  return isJsonObject(value) ? value : undefined;
}

/** Returns the fields of a failure report, the same over the wire and inside this process. */
export function failureFields({ failure, message, retryAfterMs, retryable }: Failed) {
  return {
    status: statusOf(failure),
    errorCode: failure,
    error: message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}

/** The failure classes `timeout` and `cancelled` have a status of their own. */
function statusOf(failure: Failed["failure"]): "failed" | "timed_out" | "cancelled" {
  if (failure === "timeout") return "timed_out";
  return failure === "cancelled" ? "cancelled" : "failed";
}

/** The usage and cost of an answer, in the fields adapters and callbacks share. */
export interface Bill {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly thinkingTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly priceId?: string | undefined;
  readonly model?: string | undefined;
  readonly extraCalls?: number | undefined;
}

function isUsed({ inputTokens = 0, outputTokens = 0 }: Bill): boolean {
  return inputTokens > 0 || outputTokens > 0;
}

export function billOf(result: Bill, warnings: readonly string[]): Report {
  return {
    tokens: {
      inputTokens: result.inputTokens ?? 0,
      outputTokens: result.outputTokens ?? 0,
      thinkingTokens: result.thinkingTokens ?? 0,
      cachedTokens: result.cachedTokens ?? 0,
    },
    costMicros: Math.round((result.costUsd ?? 0) * MICROS_PER_USD),
    ...(result.costUsd === undefined && isUsed(result) ? { isCostKnown: false } : {}),
    ...(result.priceId === undefined ? {} : { priceId: result.priceId }),
    ...(result.model === undefined ? {} : { model: result.model }),
    ...(result.extraCalls === undefined ? {} : { extraCalls: result.extraCalls }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
