import {
  billOf,
  type CallbackResult,
  reportOf,
  failureFields,
  suspendedReport,
  WARNINGS_MAX,
} from "../core/engine/index.ts";
import type { AdapterRequest, AdapterResult, FinalResult, LogLine } from "../adapter/index.ts";
import type { ExecutionOutcome } from "./execution-outcome.ts";
import type { CallbackBody } from "./wire.ts";

type Path = NonNullable<CallbackBody["executionPath"]>;

/** Maxima of the callback schema. Larger values are cut, so that usage numbers never cause a result to be refused. */
const COUNT_MAX = 1_000_000_000_000;
const MODEL_LENGTH_MAX = 200;

/** Returns the callback that is sent to the server for an outcome. */
export function callbackOf(outcome: ExecutionOutcome, executionPath: Path): CallbackBody {
  const { request, result, logs } = outcome;
  return {
    ...namesOf(request),
    ...resultFields(result),
    startedAt: iso(outcome.startedAt),
    completedAt: iso(outcome.completedAt),
    ...(result.status === "deferred" || result.status === "suspended" ? {} : usageOf(result)),
    ...(logs.length === 0 ? {} : { logs: logs.map(({ level, message, at }) => ({ level, message, at: iso(at) })) }),
    executionPath,
  };
}

/** Returns the callback of an `at_most_once` dispatch that began before a restart of the Bridge, with an unknown outcome. */
export function lostCallback(request: AdapterRequest, startedAt: number, now: number): CallbackBody {
  return {
    ...namesOf(request),
    status: "failed",
    errorCode: "outcome_unknown",
    error:
      "The Bridge ended while this dispatch was under way, so it is unknown whether it acted; at_most_once work is not begun again.",
    startedAt: iso(startedAt),
    completedAt: iso(now),
    executionPath: "async",
  };
}

/** Returns the engine's form of an outcome, for a Bridge that runs in the engine's own process. */
export function reportOutcome({ request, result, logs }: ExecutionOutcome): CallbackResult {
  return reportOf(result, request.outputStrategy, warningsOf(logs));
}

/** Returns the engine's form of a callback: text normalised, unstorable text repaired, money in micro-dollars. */
export function readCallback(body: CallbackBody, strategy: AdapterRequest["outputStrategy"]): CallbackResult {
  const warnings = warningsOf(body.logs ?? []);
  if (body.status === "deferred") return { status: "deferred" };
  if (body.status === "suspended") return suspendedReport(body.transcript);
  const usage = withTotal(body);
  if (body.status !== "completed") {
    return {
      status: body.status,
      ...(body.errorCode === undefined ? {} : { errorCode: body.errorCode }),
      ...(body.error === undefined ? {} : { error: body.error }),
      ...(body.retryAfterMs === undefined ? {} : { retryAfterMs: body.retryAfterMs }),
      ...(body.retryable === undefined ? {} : { retryable: body.retryable }),
      ...billOf(usage, warnings),
    };
  }
  return reportOf(
    {
      status: "completed",
      stdout: body.stdout,
      outputs: body.outputs,
      envelope: body.envelope,
      model: body.model,
      inputTokens: usage.inputTokens,
      outputTokens: body.outputTokens,
      thinkingTokens: body.thinkingTokens,
      cachedTokens: body.cachedTokens,
      costUsd: body.costUsd,
      priceId: body.priceId,
      extraCalls: body.extraCalls,
    },
    strategy,
    warnings,
  );
}

/** Counts a reported total as input tokens when the counts of input and output are missing. */
function withTotal(body: CallbackBody): CallbackBody {
  const { inputTokens, outputTokens, totalTokens } = body;
  if (totalTokens === undefined || inputTokens !== undefined || outputTokens !== undefined) return body;
  return { ...body, inputTokens: totalTokens };
}

function warningsOf(logs: readonly LogLine[]): readonly string[] {
  if (logs.length === 0) return [];
  const loud = logs.filter(({ level }) => level === "warning" || level === "error");
  return loud.slice(0, WARNINGS_MAX).map(({ message }) => message);
}

function namesOf({ dispatchId, runId, stepId, attempt, segment }: AdapterRequest) {
  return { dispatchId, runId, stepId, attempt, ...(segment === undefined ? {} : { segment }) };
}

function resultFields(
  result: AdapterResult,
): Pick<
  CallbackBody,
  "status" | "outputs" | "stdout" | "envelope" | "error" | "errorCode" | "retryAfterMs" | "retryable" | "transcript"
> {
  switch (result.status) {
    case "deferred":
      return { status: "deferred" };
    case "suspended":
      return { status: "suspended", ...(result.transcript === undefined ? {} : { transcript: result.transcript }) };
    case "completed":
      return {
        status: "completed",
        ...(result.outputs === undefined ? {} : { outputs: result.outputs }),
        ...(result.stdout === undefined ? {} : { stdout: result.stdout }),
        ...(result.envelope === undefined ? {} : { envelope: result.envelope }),
      };
    case "failed":
      return failureFields(result);
  }
}

function usageOf(result: FinalResult): Partial<CallbackBody> {
  const { inputTokens, outputTokens, sessionId, messages, model } = result;
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  return {
    ...(model === undefined ? {} : { model: model.slice(0, MODEL_LENGTH_MAX) }),
    ...counted("inputTokens", inputTokens),
    ...counted("outputTokens", outputTokens),
    ...counted("thinkingTokens", result.thinkingTokens),
    ...counted("cachedTokens", result.cachedTokens),
    ...counted("totalTokens", isCounted ? (inputTokens ?? 0) + (outputTokens ?? 0) : undefined),
    ...(result.costUsd === undefined ? {} : { costUsd: result.costUsd }),
    ...(result.priceId === undefined ? {} : { priceId: result.priceId }),
    ...counted("extraCalls", result.extraCalls),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(messages === undefined ? {} : { messages }),
  };
}

type Counter = "inputTokens" | "outputTokens" | "thinkingTokens" | "cachedTokens" | "totalTokens" | "extraCalls";

function counted(name: Counter, count: number | undefined): Partial<Record<Counter, number>> {
  return count === undefined ? {} : { [name]: Math.min(count, COUNT_MAX) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
