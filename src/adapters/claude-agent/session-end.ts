import { getOwn, isJsonArray, isJsonObject, type FailureClass, type JsonObject } from "../../core/base/index.ts";
import type { AdapterHooks } from "../../adapter/index.ts";
import { Bill, type BillTotals } from "../ai-sdk/bill.ts";
import { reasonSuffix, safeMessage, type CallFailure } from "../ai-sdk/call-failure.ts";
import { isRetryableStatus } from "../retryable-status.ts";
import { storable } from "../ai-sdk/storable.ts";
import type { SessionOrder } from "./session-options.ts";
import { countAt, objectAt, textAt, type ApiError, type SessionRecord } from "./session-record.ts";

const MICROS_PER_USD = 1_000_000;
const COST_USD_MAX = 1_000_000;
const MODEL_LENGTH_MAX = 200;
/** The price id for costs that the session calculated with the SDK's own price list. */
const SDK_PRICES = "claude-agent-sdk";

/** Errors of keys and accounts, which a retry cannot fix. */
const AUTH_ERRORS = [
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "cloud_credential_error",
];

/** The end of a session: an answer or a failure. */
export type SessionEnd =
  | { readonly stdout: string; readonly outputs?: JsonObject; readonly failure: null }
  | { readonly failure: CallFailure };

/** Returns the end of a session. `thrown`: the error of the SDK, which after a result only repeats the result. */
export function endOf(record: SessionRecord, order: SessionOrder, thrown: string, apiKey: string | null): SessionEnd {
  const { result, apiError } = record;
  const failed = (failure: FailureClass, text: string): SessionEnd => ({
    failure: { failure, message: safeMessage(text, apiKey) },
  });
  if (record.isRefused)
    return failed("provider_refused", `Claude refused to answer${reasonSuffix(apiError?.text ?? "")}`);
  if (apiError !== null && (result === null || isError(result))) return { failure: apiFailure(apiError, apiKey) };
  if (result === null) {
    return failed("provider_error", `The session ended without a result${reasonSuffix(thrown)}`);
  }
  switch (textAt(result, "subtype")) {
    case "success":
      return isError(result)
        ? failed("provider_error", `The session failed${reasonSuffix(textAt(result, "result") ?? thrown)}`)
        : answerOf(result, order, failed);
    case "error_max_turns":
      return failed("provider_bad_output", `The session came to no answer in ${countAt(result, "num_turns")} turns.`);
    case "error_max_budget_usd":
      return failed("provider_refused", 'The session reached "max_budget_usd" of the adapter before it had an answer.');
    case "error_max_structured_output_retries":
      return failed(
        "provider_bad_output",
        `The session gave no answer that fits the schema${reasonSuffix(errorsOf(result))}`,
      );
    default:
      return failed("provider_error", `The session failed${reasonSuffix(errorsOf(result) || thrown)}`);
  }
}

function answerOf(
  result: JsonObject,
  { schema }: SessionOrder,
  failed: (failure: FailureClass, text: string) => SessionEnd,
): SessionEnd {
  const text = storable(textAt(result, "result") ?? "");
  if (schema === undefined) {
    return text.trim() === ""
      ? failed("provider_bad_output", "Claude answered with nothing.")
      : { stdout: text, failure: null };
  }
  const outputs = getOwn(result, "structured_output");
  if (isJsonObject(outputs)) return { stdout: text, outputs, failure: null };
  return failed(
    "provider_bad_output",
    `The session ended without the structured answer it was asked for${reasonSuffix(text)}`,
  );
}

function apiFailure({ kind, status, text, retryDelayMs }: ApiError, apiKey: string | null): CallFailure {
  const place = status === undefined ? "Anthropic" : `Anthropic (status ${status})`;
  const fail = (failure: FailureClass, what: string): CallFailure => ({
    failure,
    message: safeMessage(`${place} ${what}${reasonSuffix(text)}`, apiKey),
  });
  if (AUTH_ERRORS.includes(kind)) return fail("provider_auth", "refused the key");
  if (kind === "rate_limit") {
    const delay = retryDelayMs === undefined ? {} : { retryAfterMs: retryDelayMs };
    return { ...fail("provider_rate_limit", "limits the rate"), ...delay };
  }
  if (kind === "max_output_tokens") return fail("provider_bad_output", "reached the limit of output tokens");
  if (kind === "model_not_found") return fail("provider_refused", "has no such model for this key");
  if (kind === "invalid_request" || (status !== undefined && !isRetryableStatus(status))) {
    return { ...fail("provider_error", "did not accept the request"), retryable: false };
  }
  if (kind === "overloaded" || status === 529) return fail("provider_error", "is overloaded");
  return fail("provider_error", "could not be reached or failed");
}

/** Token usage of a session. As in every adapter, cached tokens are part of the input. */
export interface SessionUsage extends Partial<BillTotals> {
  readonly model?: string;
}

/** Returns the usage that the session itself reports for all its calls, or else the usage of the received calls, priced here. */
export async function usageOf(
  record: SessionRecord,
  order: SessionOrder,
  atMs: number,
  onLog: AdapterHooks["onLog"],
): Promise<SessionUsage> {
  const { result } = record;
  const models = result === null ? [] : Object.entries(objectAt(result, "modelUsage"));
  const model = order.model ?? models[0]?.[0];
  const named = model === undefined ? {} : { model: storable(model.slice(0, MODEL_LENGTH_MAX)) };
  if (result === null || (models.length === 0 && record.calls.length > 0)) {
    if (record.calls.length === 0) return named;
    const bill = new Bill({ vendor: "anthropic", modelId: model ?? "", atMs, own: {}, onLog });
    for (const call of record.calls) bill.add(call);
    return { ...named, ...(await bill.totals()) };
  }
  const usages = models.map(([, usage]) => (isJsonObject(usage) ? usage : {}));
  const sum = (key: string): number => usages.reduce((total, usage) => total + countAt(usage, key), 0);
  return {
    ...named,
    inputTokens: sum("inputTokens") + sum("cacheReadInputTokens") + sum("cacheCreationInputTokens"),
    outputTokens: sum("outputTokens"),
    thinkingTokens: Math.min(sum("thinkingTokens"), sum("outputTokens")),
    cachedTokens: sum("cacheReadInputTokens"),
    ...costOf(result, usages, onLog),
  };
}

/** Returns the cost from the result. None when the SDK does not know a price, because it then invents one. */
function costOf(
  result: JsonObject,
  usages: readonly JsonObject[],
  onLog: AdapterHooks["onLog"],
): Pick<BillTotals, "costUsd" | "priceId"> {
  if (usages.some((usage) => textAt(usage, "costBasis") === "unknown")) {
    onLog({
      level: "info",
      message: "The SDK does not know the price of a model it called; the server prices it if it knows.",
    });
    return {};
  }
  const cost = getOwn(result, "total_cost_usd");
  if (typeof cost !== "number" || !(cost >= 0 && cost <= COST_USD_MAX)) return {};
  return { costUsd: Math.round(cost * MICROS_PER_USD) / MICROS_PER_USD, priceId: SDK_PRICES };
}

function isError(result: JsonObject): boolean {
  return getOwn(result, "is_error") === true;
}

function errorsOf(result: JsonObject): string {
  const errors = getOwn(result, "errors");
  return isJsonArray(errors) ? errors.filter((error) => typeof error === "string").join("; ") : "";
}
