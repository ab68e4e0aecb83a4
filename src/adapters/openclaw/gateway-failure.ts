import { getOwn, isJsonObject, type FailureClass, type Json } from "../../core/base/index.ts";
import { reasonSuffix, safeMessage, type CallFailure } from "../ai-sdk/call-failure.ts";
import { retryAfterMs } from "../ai-sdk/retry-after.ts";
import { isRetryableStatus } from "../retryable-status.ts";
import type { GatewayAnswer } from "./gateway-answer.ts";

const EXCERPT_LENGTH_MAX = 500;

/** Returns the failure for an error response: the gateway did not accept the request. */
export function replyFailure(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  token: string | null,
  nowMs: number,
): CallFailure {
  const fail = (failure: FailureClass, what: string): CallFailure => ({
    failure,
    message: safeMessage(`The OpenClaw gateway ${what} (status ${status})${reasonSuffix(reasonIn(text))}`, token),
  });
  const wait = retryAfterMs(Object.fromEntries(headers), nowMs);
  const delay = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 401 || status === 403) return fail("provider_auth", "refused the token");
  if (status === 429) return { ...fail("provider_rate_limit", "limits the rate"), ...delay };
  if (status === 404 || status === 405) {
    return fail(
      "provider_refused",
      'has no such endpoint: turn on "gateway.http.endpoints.responses.enabled" in its configuration',
    );
  }
  if (!isRetryableStatus(status)) return fail("provider_refused", "did not accept the request");
  return { ...fail("provider_error", "failed"), ...delay };
}

/** Returns the failure of an agent from the gateway's error code. */
export function answerFailure({ code, message }: GatewayAnswer, target: string, token: string | null): CallFailure {
  const fail = (failure: FailureClass, what: string): CallFailure => ({
    failure,
    message: safeMessage(`${target} ${what}${reasonSuffix(message)}`, token),
  });
  switch (code) {
    case "authentication_error":
    case "permission_error":
    case "insufficient_quota":
      return fail("provider_auth", "was refused by its model's provider");
    case "rate_limit_error": {
      const [, seconds] = /Retry-After: (\d{1,6}) seconds?/i.exec(message) ?? [];
      const delay = seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1_000 };
      return { ...fail("provider_rate_limit", "is limited in its rate by its model's provider"), ...delay };
    }
    case "invalid_request_error":
      return fail("provider_refused", "could not be asked like this");
    default:
      return message === "upstream provider timeout"
        ? fail("timeout", "waited too long for its model")
        : fail("provider_error", "failed");
  }
}

export function connectionFailure(thrown: unknown, url: string, token: string | null): CallFailure {
  const { texts, codes } = causesOf(thrown);
  const isHuge = codes.includes("RESPONSE_TOO_LARGE");
  const what = isHuge ? "answered with too much" : `cannot be reached at ${new URL(url).origin}, or went away`;
  return {
    failure: isHuge ? "provider_bad_output" : "provider_error",
    message: safeMessage(`The OpenClaw gateway ${what}${reasonSuffix(texts.at(-1) ?? "")}`, token),
  };
}

const CAUSES_MAX = 8;

/** Collects texts and codes from the error and its causes. The text nearest to the cause is last. */
function causesOf(thrown: unknown): { readonly texts: readonly string[]; readonly codes: readonly string[] } {
  const [texts, codes]: [string[], string[]] = [[], []];
  let current: unknown = thrown;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth += 1) {
    if (current.message !== "") texts.push(current.message);
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    current = current.cause;
  }
  return { texts, codes };
}

/** Returns the reason from `{"error": {"message"}}`. A proxy in front of the gateway may send any other text. */
function reasonIn(text: string): string {
  try {
    const value = JSON.parse(text) as Json;
    const error = isJsonObject(value) ? getOwn(value, "error") : undefined;
    const message = isJsonObject(error) ? getOwn(error, "message") : undefined;
    if (typeof message === "string") return message;
  } catch {
    // Not JSON: the beginning of the text is returned below.
  }
  return text.slice(0, EXCERPT_LENGTH_MAX);
}
