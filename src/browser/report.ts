import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import type { CallbackResult, Report } from "../core/engine/index.ts";
import { normaliseOutput, type Rung } from "../core/outputs/index.ts";
import { repairText } from "../core/text/index.ts";
import type { BrowserRequest, BrowserResult } from "./provider.ts";

type Completed = Extract<BrowserResult, { readonly status: "completed" }>;

/** The same words as a Bridge has for them: a run in a page leaves the same log. */
const RUNG_TEXTS: Readonly<Record<Rung, string>> = {
  code_fence: "The answer stood inside a code fence, which was taken off",
  first_json: "The answer had text around its JSON; the first JSON value in it was taken",
  tool_result: "The content of a tool result was taken as the answer",
  too_deep: "JSON in the answer is nested too deeply to be read",
  no_json: "JSON was asked for and the answer holds none",
  refused_path: "A file of the answer was left out because its path leads outside",
  unclosed_fence: "The last code fence of the answer is not closed",
};

const MICROS_PER_USD = 1_000_000;

/** What came back, as the engine takes it: text normalised, what no log can keep repaired. */
export function reportOf(
  result: BrowserResult,
  strategy: BrowserRequest["outputStrategy"],
  warnings: readonly string[],
): CallbackResult {
  switch (result.status) {
    case "deferred":
      return { status: "deferred" };
    case "failed":
      return {
        status: result.failure === "timeout" ? "timed_out" : result.failure === "cancelled" ? "cancelled" : "failed",
        errorCode: result.failure,
        error: result.message,
        ...(result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs }),
        ...billOf(result, warnings),
      };
    case "completed":
      return completedReport(result, strategy, warnings);
  }
}

function completedReport(
  result: Completed,
  strategy: BrowserRequest["outputStrategy"],
  given: readonly string[],
): CallbackResult {
  const warnings = [...given];
  const { value, isRepaired } = repairText(partsOf(result, strategy, warnings));
  if (isRepaired) {
    warnings.push(
      "The output held text that cannot be stored (NUL or half a surrogate pair); it was replaced by U+FFFD.",
    );
  }
  const parts = value as Pick<Completed, "stdout" | "outputs" | "envelope">;
  return {
    status: "completed",
    ...(parts.stdout === undefined ? {} : { stdout: parts.stdout }),
    ...(parts.outputs === undefined ? {} : { outputs: parts.outputs }),
    ...(parts.envelope === undefined ? {} : { envelope: parts.envelope }),
    ...billOf(result, warnings),
  };
}

/** Outputs that were given are believed; out of text alone they are read. */
function partsOf(
  { stdout, outputs, envelope }: Completed,
  strategy: BrowserRequest["outputStrategy"],
  warnings: string[],
): JsonObject {
  const rest = envelope === undefined ? {} : { envelope: envelope as JsonObject };
  if (stdout === undefined || outputs !== undefined) {
    return { ...(stdout === undefined ? {} : { stdout }), ...(outputs === undefined ? {} : { outputs }), ...rest };
  }
  const { text, value, rungs } = normaliseOutput(stdout, strategy, "object");
  for (const rung of rungs) warnings.push(`${RUNG_TEXTS[rung]} (${rung})`);
  return { stdout: text, ...(isJsonObject(value) ? { outputs: value } : {}), ...rest };
}

function billOf(result: Exclude<BrowserResult, { readonly status: "deferred" }>, warnings: readonly string[]): Report {
  return {
    tokens: {
      inputTokens: result.inputTokens ?? 0,
      outputTokens: result.outputTokens ?? 0,
      thinkingTokens: result.thinkingTokens ?? 0,
      cachedTokens: result.cachedTokens ?? 0,
    },
    costMicros: Math.round((result.costUsd ?? 0) * MICROS_PER_USD),
    ...(result.model === undefined ? {} : { model: result.model }),
    ...(result.extraCalls === undefined ? {} : { extraCalls: result.extraCalls }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
