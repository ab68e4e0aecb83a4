import type { FailureClass } from "../core/base/index.ts";
import { repairText } from "../core/text/index.ts";

export interface CallFailure {
  readonly failure: FailureClass;
  readonly message: string;
  readonly retryAfterMs?: number;
}

const MESSAGE_LENGTH_MAX = 2_048;

export function callFailure(failure: FailureClass, message: string, apiKey: string | undefined): CallFailure {
  return { failure, message: tidy(message, apiKey) };
}

/** Returns the failure for an error status of the service. */
export function failureOfStatus(
  response: { readonly status: number; readonly headers: Headers },
  body: string,
  place: { readonly name: string; readonly apiKey: string | undefined },
): CallFailure {
  const { status, headers } = response;
  const said = errorTextOf(body);
  const detail = said === "" ? "." : `: ${said}`;
  const say = (failure: FailureClass, what: string): CallFailure => callFailure(failure, what + detail, place.apiKey);
  const wait = retryAfterMs(headers.get("retry-after-ms"), headers.get("retry-after"));
  const delay = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 401 || status === 403) return say("provider_auth", `${place.name} refused the key (status ${status})`);
  if (status === 429) return { ...say("provider_rate_limit", `${place.name} limits the rate (status 429)`), ...delay };
  if (status === 400 && /content_filter|content_policy_violation/.test(body)) {
    return say("provider_refused", `${place.name} refused the request by its content filter`);
  }
  if (status >= 500) return { ...say("provider_error", `${place.name} failed with status ${status}`), ...delay };
  return say("provider_error", `${place.name} did not accept the request (status ${status})`);
}

/** Returns the error text of the service, from its JSON form or as plain text. */
export function errorTextOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } | string };
    const message = typeof error === "string" ? error : error?.message;
    if (typeof message === "string") return message;
  } catch {
    // Not JSON: the text itself is the message.
  }
  return body.trim();
}

/** Returns the delay from the headers, in milliseconds. Browsers rarely let a page read these headers. */
function retryAfterMs(precise: string | null, seconds: string | null): number | undefined {
  const [text, factor] = precise === null ? [seconds, 1_000] : [precise, 1];
  return text !== null && /^\d{1,12}(?:\.\d{1,9})?$/.test(text.trim()) ? Math.ceil(Number(text) * factor) : undefined;
}

/** Removes the key from a message and limits its length, because the text comes from outside. */
function tidy(text: string, apiKey: string | undefined): string {
  const hidden = apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  const { value } = repairText(hidden.slice(0, MESSAGE_LENGTH_MAX));
  return typeof value === "string" ? value : "";
}
