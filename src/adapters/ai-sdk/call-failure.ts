import { FAILURE_CLASSES, type FailureClass } from "../../core/base/index.ts";
import type { AdapterResult } from "../../adapter/index.ts";
import { isRetryableStatus } from "../retryable-status.ts";
import { retryAfterMs } from "./retry-after.ts";
import { storable } from "./storable.ts";

/** The reason why a model call did not give the requested result. */
export interface CallFailure {
  readonly failure: FailureClass;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** False when the same request would fail again. */
  readonly retryable?: boolean;
}

type FailedResult = Extract<AdapterResult, { status: "failed" }>;

const MESSAGE_LENGTH_MAX = 2_048;
const CAUSES_MAX = 8;

export interface FailureContext {
  readonly vendor: string;
  readonly modelId: string;
  readonly apiKey: string | null;
  readonly nowMs: number;
}

/** The data found in an error of any library, collected from all its causes. */
interface Clues {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly codes: readonly string[];
}

/** Returns the failed result of an attempt. */
export function failed({ failure, message, retryAfterMs: wait, retryable }: CallFailure): FailedResult {
  return {
    status: "failed",
    failure,
    message,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}

/** Classifies a thrown or streamed error as one of the known failure classes. */
export function failureOf(error: unknown, context: FailureContext): CallFailure {
  const clues = cluesOf(error);
  const { status, names, codes } = clues;
  const place = `${context.vendor} (${context.modelId})`;
  const detail = detailOf(clues);
  const fail = (failure: FailureClass, what: string): CallFailure => ({
    failure,
    message: safeMessage(detail === "" ? `${what}.` : `${what}: ${detail}`, context.apiKey),
  });
  const wait = retryAfterMs(clues.headers, context.nowMs);
  const delay = wait === undefined ? {} : { retryAfterMs: wait };

  if (codes.includes("RESPONSE_TOO_LARGE")) return fail("provider_bad_output", `The answer of ${place} is too large`);
  if (names.includes("TimeoutError")) return fail("timeout", `${place} did not answer in time`);
  if (names.includes("AI_ToolChoiceViolationError")) {
    return fail("provider_bad_output", `${place} called a tool though none was allowed`);
  }
  if (status === undefined || status < 400) return fail("provider_error", brokenAnswer(clues, place));
  if (status === 401 || status === 403) return fail("provider_auth", `${place} refused the key with status ${status}`);
  if (status === 429) return { ...fail("provider_rate_limit", `${place} limits the rate (status 429)`), ...delay };
  if (status === 400 && isFiltered(clues))
    return fail("provider_refused", `${place} refused the request by its content filter`);
  if (isRetryableStatus(status)) {
    return { ...fail("provider_error", `${place} failed with status ${status}`), ...delay };
  }
  const refusal = `${place} did not accept the request (status ${status}); trying again will not help`;
  return { ...fail("provider_error", refusal), retryable: false };
}

/** True when the provider itself reported an error status, and the connection did not simply break. */
export function isProviderError(error: unknown): boolean {
  const { status } = cluesOf(error);
  return status !== undefined && status >= 400;
}

/** Returns the failure for a model that refused to answer. */
export function refusal(context: FailureContext, text: string): CallFailure {
  const message = `${context.vendor} (${context.modelId}) refused to answer${reasonSuffix(text)}`;
  return { failure: "provider_refused", message: safeMessage(message, context.apiKey) };
}

export function badOutput(context: FailureContext, what: string): CallFailure {
  const message = `${context.vendor} (${context.modelId}) ${what}`;
  return { failure: "provider_bad_output", message: safeMessage(message, context.apiKey) };
}

export function truncated(context: FailureContext): CallFailure {
  const message = `The answer of ${context.vendor} (${context.modelId}) broke off before its end.`;
  return { failure: "provider_error", message };
}

/** Returns the end of a message: the reason if there is one, otherwise a period. */
export function reasonSuffix(text: string): string {
  return text.trim() === "" ? "." : `: ${text.trim()}`;
}

/** Removes the key and characters that cannot be stored, and limits the length, because the text may come from outside. */
export function safeMessage(text: string, apiKey: string | null): string {
  const safe = storable(apiKey === null || apiKey === "" ? text : text.replaceAll(apiKey, "[key]"));
  if (safe.length <= MESSAGE_LENGTH_MAX) return safe;
  // A cut inside a surrogate pair would leave text that no database can store.
  return `${safe.slice(0, MESSAGE_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function brokenAnswer({ names }: Clues, place: string): string {
  const isParsing = names.some((name) =>
    /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoOutputGenerated/.test(name),
  );
  return isParsing ? `${place} sent an answer that cannot be read` : `The connection to ${place} failed`;
}

function isFiltered({ body, texts }: Clues): boolean {
  return /content_filter|content_policy_violation|ResponsibleAIPolicyViolation/.test(`${body}\n${texts.join("\n")}`);
}

/** Returns the text nearest to the cause: `fetch failed` is less useful than `connect ECONNREFUSED`. */
function detailOf({ texts, status }: Clues): string {
  const nonEmpty = texts.filter((text) => text !== "");
  return (status === undefined || status < 400 ? nonEmpty.at(-1) : nonEmpty[0]) ?? "";
}

/** Collects data from the error and its causes. These come from outside, so each field is used only if its type is correct. */
function cluesOf(error: unknown): Clues {
  let status: number | undefined;
  let headers: Record<string, string> = {};
  let body = "";
  const [texts, names, codes]: [string[], string[], string[]] = [[], [], []];
  let current: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && current !== undefined && current !== null; depth += 1) {
    if (typeof current !== "object") {
      if (typeof current === "string") texts.push(current);
      break;
    }
    const { name, message, statusCode, responseHeaders, responseBody, code, cause, errors } = current as Loose;
    if (typeof name === "string") names.push(name);
    if (typeof message === "string") texts.push(message);
    if (typeof code === "string") codes.push(code);
    if (typeof statusCode === "number") status ??= statusCode;
    if (typeof responseBody === "string" && body === "") body = responseBody;
    if (isRecord(responseHeaders)) headers = { ...textsOf(responseHeaders), ...headers };
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return { status, headers, body, texts, names, codes };
}

type Loose = Partial<
  Record<"name" | "message" | "statusCode" | "responseHeaders" | "responseBody" | "code" | "cause" | "errors", unknown>
>;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textsOf(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Converts an error from opening tools. The opener may set the class; any other error counts as an unreachable server. */
export function toolFailure(thrown: unknown): CallFailure {
  const { failure, message = String(thrown) } = (thrown ?? {}) as { failure?: unknown; message?: string };
  const known = FAILURE_CLASSES.find((name) => name === failure) ?? "provider_error";
  return { failure: known, message: safeMessage(`The tools of the step cannot be had: ${message}`, null) };
}
