import { getOwn, isJsonObject, type JsonObject } from "../../core/base/index.ts";
import { normaliseOutput } from "../../core/outputs/index.ts";
import type { Redactor } from "../../core/redaction/index.ts";
import type { AdapterResult } from "../../adapter/index.ts";
import type { GuardedFailure, GuardedReply } from "../../outbound/index.ts";
import { retryAfterMs } from "../ai-sdk/retry-after.ts";
import { isRetryableStatus } from "../retryable-status.ts";

/** Maximum length of a failed answer in the report. */
const EXCERPT_LENGTH_MAX = 500;

export function resultOf(reply: GuardedReply, redactor: Redactor, nowMs: number): AdapterResult {
  const { status, headers } = reply;
  const text = redactor.text(reply.text);
  if (status < 200 || status > 299) return failedAnswer(reply, text, nowMs);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    const message = `The service answered in the encoding ${encoding.slice(0, 40)} although plain text was asked for.`;
    return { status: "failed", failure: "provider_bad_output", message };
  }
  const outputs = readObject(text);
  const isDeferred =
    headers["x-sluice-deferred"] === "true" || (outputs !== undefined && getOwn(outputs, "deferred") === true);
  if (status === 202 && isDeferred) return { status: "deferred" };
  return { status: "completed", stdout: text, ...(outputs === undefined ? {} : { outputs }) };
}

export function failureOf({ code, message }: GuardedFailure): AdapterResult {
  switch (code) {
    case "aborted":
      return { status: "failed", failure: "cancelled", message };
    case "url_timeout":
      return { status: "failed", failure: "timeout", message: `${code}: ${message}` };
    case "url_unreachable":
      return { status: "failed", failure: "provider_error", message: `${code}: ${message}` };
    default:
      return { status: "failed", failure: "provider_refused", message: `${code}: ${message}` };
  }
}

function failedAnswer({ status, headers }: GuardedReply, text: string, nowMs: number): AdapterResult {
  const excerpt = text.trim().slice(0, EXCERPT_LENGTH_MAX);
  const message = `The service answered with status ${status}${excerpt === "" ? "." : `: ${excerpt}`}`;
  const wait = retryAfterMs(headers, nowMs);
  const failure =
    status === 401 || status === 403 ? "provider_auth" : status === 429 ? "provider_rate_limit" : "provider_error";
  if (!isRetryableStatus(status)) return { status: "failed", failure, message, retryable: false };
  return { status: "failed", failure, message, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
}

/** Returns outputs only when the whole answer is one JSON object. JSON inside a text is ignored. */
function readObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const { value, repairs } = normaliseOutput(text, "json", "object");
  return repairs.length === 0 && isJsonObject(value) ? value : undefined;
}
